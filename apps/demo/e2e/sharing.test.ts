import { describe, expect, test } from "vitest";
import { temporaryDirectory } from "../test/temporaryDirectory.js";
import { startTestGateway, type TestGateway } from "../test/startTestGateway.js";

const HUNDRED = [{ unit: "requests", window: "hourly", limit: 100 }] as const;

/** Asks so many times at once; the statuses. */
async function statuses(gateway: TestGateway, key: string, times: number): Promise<readonly number[]> {
  return await Promise.all(Array.from({ length: times }, async () => await read(await gateway.ask(key))));
}

async function read(answer: Response): Promise<number> {
  await answer.text();
  return answer.status;
}

function count(statuses: readonly number[], status: number): number {
  return statuses.filter((each) => each === status).length;
}

async function settledUse(gateway: TestGateway) {
  await gateway.quiet();
  const { dimensions } = await gateway.usage();
  const [dimension] = dimensions;
  return {
    total: dimension!.consumedTotal,
    held: dimension!.held,
    ...Object.fromEntries(dimension!.perKey.map(({ apiKeyId, consumed }) => [apiKeyId, consumed])),
  };
}

describe("three keys share 100 requests an hour", () => {
  test("bob alone borrows past his 30; from 50 on shares bind, and the others pass while there is room", async () => {
    const gateway = await startTestGateway();
    await gateway.plan(HUNDRED);
    expect(count(await statuses(gateway, "bob", 50), 200)).toBe(50);
    expect(await settledUse(gateway)).toMatchObject({ bob: 50, total: 50, held: 0 });

    const refused = await gateway.ask("bob");
    expect(refused.status).toBe(429);
    expect(refused.headers.get("x-quota-reason")).toBe("quota_fair_share");
    expect(await refused.json()).toMatchObject({ error: { code: "quota_fair_share" } });

    expect(await statuses(gateway, "alice", 3)).toEqual([200, 200, 200]);
    expect(await statuses(gateway, "carol", 3)).toEqual([200, 200, 200]);
    expect(await settledUse(gateway)).toMatchObject({ alice: 3, bob: 50, carol: 3, total: 56, held: 0 });
  });

  test("200 requests at once never take the pool past 100, and waste nothing of it", async () => {
    const gateway = await startTestGateway();
    await gateway.plan(HUNDRED);
    const keys = [
      ...Array<string>(100).fill("alice"),
      ...Array<string>(60).fill("bob"),
      ...Array<string>(40).fill("carol"),
    ];
    const answers = await Promise.all(keys.map(async (key) => await read(await gateway.ask(key))));
    expect(count(answers, 200) + count(answers, 429)).toBe(200);
    expect(count(answers, 200)).toBe(100);
    expect(await settledUse(gateway)).toMatchObject({ total: 100, held: 0 });
    expect(gateway.provider.state().requests.accepted).toBe(100);
  });

  test("a refused request changes no use and no hold, and never reaches the provider", async () => {
    const gateway = await startTestGateway();
    await gateway.plan(HUNDRED);
    await statuses(gateway, "bob", 50);
    await gateway.quiet();
    const before = [await gateway.usage(), gateway.provider.state().requests.seen];
    expect(count(await statuses(gateway, "bob", 20), 429)).toBe(20);
    const after = [await gateway.usage(), gateway.provider.state().requests.seen];
    expect(after).toEqual(before);
  });

  test("counters survive a restart", async () => {
    const dataDir = temporaryDirectory();
    const first = await startTestGateway({ dataDir });
    await first.plan(HUNDRED);
    await statuses(first, "alice", 7);
    await statuses(first, "bob", 5);
    const before = await settledUse(first);
    await first.stop(0);

    const second = await startTestGateway({ dataDir });
    expect(await settledUse(second)).toEqual(before);
    expect(before).toMatchObject({ alice: 7, bob: 5, total: 12, held: 0 });
    expect(await statuses(second, "alice", 1)).toEqual([200]);
  });
});

describe("three keys share 100 000 tokens an hour", () => {
  const TOKENS = [{ unit: "tokens", window: "hourly", limit: 100_000 }] as const;
  const prompt = (tokens: number) => ({
    model: "m",
    max_tokens: 10,
    messages: [{ role: "user", content: "word ".repeat(tokens) }],
  });

  test("a key with a small share sends one large prompt, in strict mode too", async () => {
    const gateway = await startTestGateway();
    await gateway.plan(TOKENS);
    expect(await read(await gateway.ask("alice", { body: prompt(45_000) }))).toBe(200);
    const { alice } = (await settledUse(gateway)) as { alice?: number };
    expect(alice).toBeGreaterThan(50_000);
    expect((await gateway.usage()).dimensions[0]!.mode).toBe("strict");
    expect(await read(await gateway.ask("carol", { body: prompt(25_000) }))).toBe(200);
    const { carol } = (await settledUse(gateway)) as { carol?: number };
    expect(carol).toBeGreaterThan(20_000);
    expect(await read(await gateway.ask("carol", { body: prompt(10) }))).toBe(429);
  });

  test("a prompt above the limit is too large for ever: no Retry-After, and nothing is asked to try again", async () => {
    const gateway = await startTestGateway();
    await gateway.plan(TOKENS);
    const answer = await gateway.ask("alice", { body: prompt(200_000) });
    expect(answer.status).toBe(429);
    expect(answer.headers.get("x-quota-reason")).toBe("quota_request_too_large");
    expect(answer.headers.get("retry-after")).toBeNull();
    expect(answer.headers.get("retry-after-ms")).toBeNull();
    expect(answer.headers.get("x-should-retry")).toBe("false");
    expect(await settledUse(gateway)).toMatchObject({ total: 0, held: 0 });
  });
});
