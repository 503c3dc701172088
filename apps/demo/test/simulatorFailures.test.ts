import { describe, expect, test } from "vitest";
import { failureKinds } from "../server/simulator/simulatorOptions.js";
import { eventsOf, questions, startSimulator } from "./startSimulator.js";

type Path = keyof typeof questions;

const streaming: readonly Path[] = ["/v1/chat/completions", "/v1/responses", "/v1/messages"];

/** The bytes that came before the end, and how it ended. */
async function readToTheEnd(
  response: Response,
): Promise<{ text: string; bytes: Uint8Array; end: "polite" | "broken" }> {
  const parts: Uint8Array[] = [];
  const soFar = () => ({ text: Buffer.concat(parts).toString(), bytes: Buffer.concat(parts) });
  try {
    for await (const part of response.body ?? []) parts.push(part as Uint8Array);
    return { ...soFar(), end: "polite" };
  } catch {
    return { ...soFar(), end: "broken" };
  }
}

describe.each(streaming)("a failing stream of %s", (path) => {
  const streamed = (failure: string) => ({ ...questions[path], stream: true, model: `m?failure=${failure}` });

  test("status-500 is an error in the dialect's shape and counts as failed", async () => {
    const { simulator, post } = await startSimulator();
    const response = await post(path, streamed("status-500"));
    expect(response.status).toBe(500);
    expect(await response.json()).toHaveProperty("error.message", "Simulated failure 500.");
    expect(simulator.state().requests).toMatchObject({ seen: 1, failed: 1, accepted: 0, aborted: 0 });
    expect(simulator.state().tokens).toEqual({ input: 0, output: 0 });
  });

  test("reset breaks the socket before a byte", async () => {
    const { simulator, post } = await startSimulator();
    await expect(post(path, streamed("reset"))).rejects.toThrow("fetch failed");
    expect(simulator.state().requests).toMatchObject({ failed: 1, aborted: 0 });
  });

  test("reset-mid-stream breaks the socket after half of the text, which is counted", async () => {
    const { simulator, post } = await startSimulator();
    const { text, end } = await readToTheEnd(await post(path, streamed("reset-mid-stream")));
    expect([end, text.includes("Hello")]).toEqual(["broken", true]);
    const { requests, tokens } = simulator.state();
    expect([requests.failed, requests.aborted, tokens.output > 0]).toEqual([1, 0, true]);
  });

  test("end-mid-stream ends politely without a last event or usage", async () => {
    const { post } = await startSimulator();
    const { text, end } = await readToTheEnd(await post(path, streamed("end-mid-stream")));
    expect([end, text.includes("Hello")]).toEqual(["polite", true]);
    expect(text).not.toMatch(/\[DONE\]|response\.completed|message_stop|completion_tokens/u);
  });

  test("stalls-mid-stream keeps the socket open and silent until the client leaves", async () => {
    const { simulator, post } = await startSimulator();
    const leaving = new AbortController();
    const response = await post(path, streamed("stalls-mid-stream"), { signal: leaving.signal });
    let text = "";
    const reading = (async () => {
      for await (const part of response.body ?? []) {
        text += Buffer.from(part as Uint8Array).toString();
        if (text.includes("Hello")) leaving.abort();
      }
    })();
    await expect(reading).rejects.toThrow("aborted");
    expect(text).not.toMatch(/\[DONE\]|response\.completed|message_stop/u);
    const after = await simulator.until(({ openRequests }) => openRequests === 0);
    expect(after).toMatchObject({ openStreams: 0, requests: { failed: 1, aborted: 1 } });
  });

  test("never-answers sends no header until the client leaves", async () => {
    const { simulator, post } = await startSimulator();
    const leaving = new AbortController();
    const call = post(path, streamed("never-answers"), { signal: leaving.signal });
    await simulator.until(({ requests }) => requests.failed === 1);
    leaving.abort();
    await expect(call).rejects.toThrow("aborted");
    const after = await simulator.until(({ openRequests }) => openRequests === 0);
    expect(after.requests).toMatchObject({ failed: 1, aborted: 1 });
  });

  test("bad-json puts one event that does not parse between good ones", async () => {
    const { post } = await startSimulator();
    const { text, end } = await readToTheEnd(await post(path, streamed("bad-json")));
    expect(end).toBe("polite");
    expect(() => eventsOf(text)).toThrow(SyntaxError);
    expect(text).toMatch(/\[DONE\]|response\.completed|message_stop/u);
  });

  test("cut-in-character ends inside a character", async () => {
    const { post } = await startSimulator();
    const { bytes, end } = await readToTheEnd(await post(path, streamed("cut-in-character")));
    expect(end).toBe("polite");
    expect(() => new TextDecoder("utf-8", { fatal: true }).decode(bytes)).toThrow(TypeError);
    expect(() => new TextDecoder("utf-8", { fatal: true }).decode(bytes.subarray(0, -1))).not.toThrow();
  });

  test("error-event carries the provider's error inside a 200", async () => {
    const { post } = await startSimulator();
    const response = await post(path, streamed("error-event"));
    const { text } = await readToTheEnd(response);
    expect(response.status).toBe(200);
    expect(JSON.stringify(eventsOf(text).at(-1))).toMatch(/overloaded/iu);
  });

  test("usage-missing is a whole answer without a word of usage", async () => {
    const { post } = await startSimulator();
    const ask = {
      ...streamed("usage-missing"),
      ...(path === "/v1/chat/completions" ? { stream_options: { include_usage: true } } : {}),
    };
    const { text } = await readToTheEnd(await post(path, ask));
    expect(text).toMatch(/\[DONE\]|response\.completed|message_stop/u);
    expect(text).not.toMatch(/"(output_tokens|completion_tokens|input_tokens)"/u);
  });
});

describe("a failing JSON answer", () => {
  test.each(["bad-json", "end-mid-stream", "cut-in-character"])(
    "%s is a 200 that does not parse",
    async (failure) => {
      const { post } = await startSimulator();
      const response = await post("/v1/chat/completions", {
        ...questions["/v1/chat/completions"],
        model: `m?failure=${failure}`,
      });
      expect(response.status).toBe(200);
      await expect(response.json()).rejects.toThrow(SyntaxError);
    },
  );

  test("reset-mid-stream breaks it in the middle", async () => {
    const { post } = await startSimulator();
    const response = await post("/v1/messages", {
      ...questions["/v1/messages"],
      model: "m?failure=reset-mid-stream",
    });
    const { text, end } = await readToTheEnd(response);
    expect([end, text.startsWith("{")]).toEqual(["broken", true]);
  });

  test("usage-missing leaves usage out", async () => {
    const { post } = await startSimulator({ failure: "usage-missing" });
    for (const path of ["/v1/chat/completions", "/v1/messages", "/v1/embeddings"] as const) {
      expect(await (await post(path, questions[path])).json()).not.toHaveProperty("usage");
    }
    expect(await (await post("/v1/responses", questions["/v1/responses"])).json()).toHaveProperty(
      "usage",
      null,
    );
  });
});

describe("how often", () => {
  test.each([
    [0, 0],
    [0.1, 2],
    [0.25, 5],
    [1, 20],
  ])("a rate of %d fails %d of 20, evenly", async (failureRate, failed) => {
    const { simulator, post } = await startSimulator({ failure: "status-503", failureRate });
    const statuses: number[] = [];
    for (let request = 0; request < 20; request += 1) {
      const response = await post("/v1/chat/completions", questions["/v1/chat/completions"]);
      await response.arrayBuffer();
      statuses.push(response.status);
    }
    expect(statuses.filter((status) => status === 503)).toHaveLength(failed);
    expect(statuses.slice(0, 10).filter((status) => status === 503)).toHaveLength(Math.floor(failed / 2));
    expect(simulator.state().requests).toMatchObject({ seen: 20, failed, accepted: 20 - failed });
  });
});

describe("where a wish may stand", () => {
  const chat = (model: string, content: string) => ({ model, messages: [{ role: "user", content }] });

  test.each([
    ["in the model", chat("m?failure=status-500", "Hi"), {}, 500],
    ["in the prompt", chat("m", "Hi [simulate failure=status-503]"), {}, 503],
    ["in a header", chat("m", "Hi"), { "x-simulate-failure": "status-529" }, 529],
    [
      "in prompt and model: the prompt wins",
      chat("m?failure=status-500", "Hi [simulate failure=status-503]"),
      {},
      503,
    ],
    [
      "in all: the header wins",
      chat("m?failure=status-500", "[simulate failure=status-503]"),
      { "x-simulate-failure": "none" },
      200,
    ],
    [
      "in a message of long ago: not heard",
      {
        model: "m",
        messages: [
          { role: "user", content: "[simulate failure=status-500]" },
          { role: "user", content: "Hi" },
        ],
      },
      {},
      200,
    ],
    ["misspelt: a 400", chat("m?failur=status-500", "Hi"), {}, 400],
    ["with a value nobody knows: a 400", chat("m?failure=status-999", "Hi"), {}, 400],
    ["with a number that is none: a 400", chat("m?latency-ms=soon", "Hi"), {}, 400],
  ])("%s", async (_, body, headers, status) => {
    const { post } = await startSimulator();
    expect((await post("/v1/chat/completions", body, { headers })).status).toBe(status);
  });

  test("every failure kind is accepted by configure, and a bad value changes nothing", async () => {
    const { simulator, post } = await startSimulator();
    for (const failure of failureKinds) simulator.configure({ failure });
    simulator.configure({ failure: "none" });
    expect(() => simulator.configure({ failure: "status-500", failureRate: 2 })).toThrow(RangeError);
    expect((await post("/v1/chat/completions", questions["/v1/chat/completions"])).status).toBe(200);
  });
});
