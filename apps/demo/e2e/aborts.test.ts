import { describe, expect, test } from "vitest";
import { startTestGateway, type TestGateway } from "../test/startTestGateway.js";

const HUNDRED = [{ unit: "requests", window: "hourly", limit: 100 }] as const;
const streaming = { model: "m", stream: true, messages: [{ role: "user", content: "Say hi" }] };

async function books(gateway: TestGateway): Promise<{ readonly consumed: number; readonly held: number }> {
  await gateway.quiet();
  const [dimension] = (await gateway.usage()).dimensions;
  return { consumed: dimension!.consumedTotal, held: dimension!.held };
}

describe("a client that leaves", () => {
  test("while the upstream has not answered pays nothing, and the upstream is told", async () => {
    const gateway = await startTestGateway();
    await gateway.plan(HUNDRED);
    gateway.provider.configure({ pause: "before-answer" });
    const leave = new AbortController();
    const asked = gateway.ask("alice", { signal: leave.signal });
    await gateway.provider.until((state) => state.pausedAnswers === 1);
    leave.abort();
    await expect(asked).rejects.toThrow();
    await gateway.provider.until((state) => state.requests.aborted === 1 && state.openRequests === 0);
    expect(await books(gateway)).toEqual({ consumed: 0, held: 0 });
  });

  test("in the middle of a stream pays once for what was produced, and the upstream is told", async () => {
    const gateway = await startTestGateway();
    await gateway.plan([{ unit: "tokens", window: "hourly", limit: 100_000 }]);
    gateway.provider.configure({ pause: "mid-stream", answerTokens: 1_000, chunks: 100 });
    const leave = new AbortController();
    const answer = await gateway.ask("alice", { body: streaming, signal: leave.signal });
    await answer.body!.getReader().read();
    await gateway.provider.until((state) => state.pausedAnswers === 1);
    leave.abort();
    await gateway.provider.until((state) => state.requests.aborted === 1 && state.openRequests === 0);
    const { consumed, held } = await books(gateway);
    expect(held).toBe(0);
    expect(consumed).toBeGreaterThan(100);
    expect(consumed).toBeLessThan(1_000);
  });

  test("with many others at every stage leaves no hold behind", async () => {
    const gateway = await startTestGateway();
    await gateway.plan(HUNDRED);
    for (const [pause, stream] of [
      ["before-answer", false],
      ["before-answer", true],
      ["mid-stream", true],
    ] as const) {
      gateway.provider.configure({ pause });
      const leave = new AbortController();
      const body = { ...streaming, stream };
      const asked = ["alice", "bob", "carol"].flatMap((key) =>
        [1, 2, 3].map(async () => {
          const answer = await gateway.ask(key, { body, signal: leave.signal });
          await answer.text();
        }),
      );
      await gateway.provider.until((state) => state.pausedAnswers === 9);
      leave.abort();
      const outcomes = await Promise.allSettled(asked);
      expect(outcomes.every(({ status }) => status === "rejected")).toBe(true);
      await gateway.provider.until((state) => state.openRequests === 0);
      gateway.provider.configure({ pause: "none" });
    }
    expect(await books(gateway)).toEqual({ consumed: 9, held: 0 });
  });

  test("while it waits its turn gives the turn up, and is never sent on", async () => {
    const gateway = await startTestGateway({ settings: { waitUpToMs: 600_000 } });
    await gateway.plan([{ unit: "requests", window: "hourly", limit: 4 }]);
    gateway.provider.configure({ pause: "before-answer" });
    const before = [gateway.ask("alice"), gateway.ask("alice")];
    await gateway.provider.until((state) => state.pausedAnswers === 2);
    const leave = new AbortController();
    const waiting = gateway.ask("alice", { signal: leave.signal });
    const metrics = async () => await (await fetch(`${gateway.url}/metrics`)).text();
    while (!(await metrics()).includes("quota_waiting_requests 1"));
    leave.abort();
    await expect(waiting).rejects.toThrow();
    gateway.provider.configure({ pause: "none" });
    expect((await Promise.all(before)).map(({ status }) => status)).toEqual([200, 200]);
    expect(await books(gateway)).toEqual({ consumed: 2, held: 0 });
    expect(gateway.provider.state().requests.seen).toBe(2);
  });

  test("with its body half sent is never counted", async () => {
    const gateway = await startTestGateway();
    await gateway.plan(HUNDRED);
    const { connect } = await import("node:net");
    const socket = connect(Number(new URL(gateway.url).port), "127.0.0.1");
    await new Promise((resolve) => socket.once("connect", resolve));
    socket.write(
      "POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\nauthorization: Bearer sk-demo-alice\r\ncontent-length: 1000\r\n\r\n{",
    );
    socket.destroy();
    await new Promise((resolve) => socket.once("close", resolve));
    expect(await books(gateway)).toEqual({ consumed: 0, held: 0 });
    expect(gateway.provider.state().requests.seen).toBe(0);
  });
});

describe("an upstream that fails", () => {
  test.each([
    ["status-400", 400],
    ["status-404", 404],
    ["status-429", 429],
    ["status-500", 500],
    ["status-503", 503],
    ["status-529", 529],
    ["reset", 502],
  ] as const)("with %s is answered %i, and costs nothing", async (failure, status) => {
    const gateway = await startTestGateway();
    await gateway.plan(HUNDRED);
    gateway.provider.configure({ failure });
    for (const path of ["/v1/chat/completions", "/v1/messages", "/v1/responses"]) {
      const answer = await gateway.ask("alice", { path });
      expect(answer.status).toBe(status);
      expect(await answer.json()).toHaveProperty("error.message");
    }
    expect(await books(gateway)).toEqual({ consumed: 0, held: 0 });
  });

  test.each(["reset-mid-stream", "bad-json"] as const)(
    "with %s leaves no hold and costs nothing",
    async (failure) => {
      const gateway = await startTestGateway();
      await gateway.plan(HUNDRED);
      gateway.provider.configure({ failure });
      const answer = await gateway.ask("alice", failure === "bad-json" ? {} : { body: streaming });
      await answer.text().catch((error: unknown) => error);
      expect(await books(gateway)).toEqual({ consumed: 0, held: 0 });
    },
  );

  test("to answer in time is answered 504, and costs nothing", async () => {
    const gateway = await startTestGateway({ settings: { upstreamTimeoutMs: 1 } });
    await gateway.plan(HUNDRED);
    gateway.provider.configure({ failure: "never-answers" });
    const answer = await gateway.ask("alice");
    expect(answer.status).toBe(504);
    expect(await answer.json()).toMatchObject({ error: { code: "upstream_timeout" } });
    expect(await books(gateway)).toEqual({ consumed: 0, held: 0 });
  });

  test("by not taking the owner's credential is 502: the client's own key is good, and nothing of the owner's is told", async () => {
    const gateway = await startTestGateway();
    const headers = { "x-simulate-failure": "status-401" };
    for (const path of ["/v1/chat/completions", "/v1/messages", "/v1/messages/count_tokens"]) {
      const answer = await gateway.ask("alice", { path, headers });
      expect(answer.status).toBe(502);
      expect(await answer.text()).not.toContain("Simulated");
    }
    await gateway.quiet();
    expect((await gateway.usage()).dimensions[0]).toMatchObject({ consumedTotal: 0, held: 0 });
    expect(gateway.logged.join("")).toContain("refuses the connection's secret");
  });

  test("by not being there is answered 502 in the client's dialect", async () => {
    const gateway = await startTestGateway();
    await gateway.plan(HUNDRED);
    const port = Number(new URL(gateway.url).port);
    await gateway.provider.close();
    expect(port).toBeGreaterThan(0);
    expect(await (await gateway.ask("alice")).json()).toMatchObject({
      status: 502,
      error: { code: "upstream_unreachable" },
    });
    expect(await (await gateway.ask("alice", { path: "/v1/messages" })).json()).toMatchObject({
      type: "error",
      error: { type: "api_error" },
    });
    expect(await books(gateway)).toEqual({ consumed: 0, held: 0 });
  });

  test("by redirecting is not followed: no credential goes elsewhere", async () => {
    const gateway = await startTestGateway();
    await gateway.plan(HUNDRED);
    const elsewhere = await startTestGateway();
    gateway.provider.configure({ redirectTo: `${elsewhere.url}/v1/models` });
    const answer = await gateway.ask("alice");
    expect(answer.status).toBe(502);
    expect(answer.headers.get("location")).toBeNull();
    expect(elsewhere.provider.state().requests.seen).toBe(0);
    expect(await books(gateway)).toEqual({ consumed: 0, held: 0 });
  });
});
