import type { DecisionJson, ExplanationJson, LendingPreviewJson, ShadowJson } from "@quota/http";
import { expect, test } from "vitest";
import { startTestGateway, type TestGateway } from "../test/startTestGateway.js";

/** An hour that is laid on the epoch begins then. */
const HOUR = Date.UTC(2026, 0, 15, 12);
const HALF_TIME = HOUR + 30 * 60_000 + 1_000;

async function seat(at: number) {
  const time = { now: at };
  const gateway = await startTestGateway({ now: () => time.now });
  // Of it alice has 50, bob 30, carol 20.
  await gateway.plan([{ unit: "requests", window: "hourly", limit: 100 }]);
  const { id } = await gateway.poolOf("kimi-demo");
  const patch = async (change: object) => {
    const answer = await gateway.admin("PATCH", `/api/quota/pools/${id}`, change);
    expect([answer.status, await answer.json()]).toMatchObject([200, change]);
  };
  const read = async (path: string) => (await gateway.admin("GET", `/api/quota/pools/${id}${path}`)).json();
  return { gateway, time, id, patch, read };
}

/** Asks until it is refused, and answers how often that was not so. */
async function askUntilRefused(gateway: TestGateway, key: string, most = 200) {
  for (let passed = 0; passed <= most; passed += 1) {
    const answer = await gateway.ask(key);
    if (answer.status !== 200) return { passed, answer };
    await answer.text();
    await gateway.quiet();
  }
  throw new Error(`${key} is never refused`);
}

test("a pool's rule is switched while requests flow, and what was used counts on", async () => {
  const { gateway, time, id, patch, read } = await seat(HALF_TIME);
  for (let i = 0; i < 10; i += 1) await (await gateway.ask("bob")).text();
  const flowing = Promise.all(
    Array.from({ length: 10 }, async () => {
      const answer = await gateway.ask("bob");
      await answer.text();
      return answer.status;
    }),
  );
  await patch({ lending: "reserve" });
  expect(new Set(await flowing)).toEqual(new Set([200]));
  await gateway.quiet();

  // The rolling count went along, and the window lies on the epoch.
  const [dimension] = (await gateway.usage()).dimensions;
  expect(dimension).toMatchObject({
    lending: "reserve",
    anchoredBy: "epoch",
    windowFrom: HOUR,
    opensAt: HOUR + 3_600_000,
    consumedTotal: 20,
    held: 0,
  });

  // Just past half-time a little less than three quarters of a share are held: 37 for alice, 14 for carol. The rest is bob's.
  const { passed, answer } = await askUntilRefused(gateway, "bob");
  expect(20 + passed).toBe(49);
  const message =
    "requests/hourly: 49 of your 30 share used; 51 of the pool are unused but reserved for others; opens 12:30:36 UTC";
  expect([answer.status, answer.headers.get("x-quota-reason"), await answer.json()]).toMatchObject([
    429,
    "quota_reserved",
    { error: { code: "quota_reserved", message } },
  ]);
  expect(answer.headers.get("ratelimit")).toMatch(/^"hourly-requests";r=0;t=\d+$/u);

  // Whoever is inside its share is never in the way.
  expect((await gateway.ask("carol")).status).toBe(200);
  await gateway.quiet();

  const why = (await read("/explain?apiKeyId=bob&estimatedRequests=1")) as ExplanationJson;
  expect(why.heldFor).toEqual([{ dimension: "requests/hourly", unit: "requests", keys: 2, amount: 50 }]);
  expect(why.words[0]).toBe(
    "Refused under reserve, in requests/hourly: what is left is held for keys that have not used their shares.",
  );
  expect(why.words.join(" ")).not.toMatch(/alice|carol/u);
  expect(why.rules.map(({ lending, status }) => [lending, status])).toEqual([
    ["threshold", "refused"],
    ["reserve", "refused"],
    ["static", "refused"],
    ["open", "allowed"],
  ]);

  // A millisecond before the moment that he was told he is refused, and at it he passes.
  const opensAt = why.decision.retryAt!;
  const again = await gateway.ask("bob");
  expect([again.status, await again.json()]).toMatchObject([
    429,
    { resets_at: Math.ceil(opensAt / 1000), error: { code: "quota_reserved" } },
  ]);
  // The wait has some jitter on top of it, and never less than it.
  expect(Number(again.headers.get("retry-after-ms"))).toBeGreaterThanOrEqual(opensAt - HALF_TIME);
  time.now = opensAt - 1;
  expect((await gateway.ask("bob")).status).toBe(429);
  time.now = opensAt;
  expect((await gateway.ask("bob")).status).toBe(200);
  await gateway.quiet();

  const preview = await gateway.admin("POST", `/api/quota/pools/${id}/lending/preview`, { lending: "open" });
  const { dimensions } = (await preview.json()) as LendingPreviewJson;
  const bob = dimensions[0]!.perKey.find(({ apiKeyId }) => apiKeyId === "bob")!;
  expect([bob.before.available, bob.after.available]).toEqual([0, 49]);

  await patch({ lending: "threshold" });
  const [back] = (await gateway.usage()).dimensions;
  expect(back).toMatchObject({ lending: "threshold", anchoredBy: "rolling", consumedTotal: 51, held: 0 });
  expect(back).not.toHaveProperty("reserved");
  const strict = await gateway.ask("bob");
  expect([strict.status, strict.headers.get("x-quota-reason")]).toEqual([429, "quota_fair_share"]);
  expect((await gateway.ask("alice")).status).toBe(200);
});

test("a shadow rule is counted and measured, and refuses nobody", async () => {
  const { gateway, patch, read } = await seat(HALF_TIME);
  expect((await gateway.admin("GET", "/api/quota/pools/nowhere/shadow")).status).toBe(404);
  expect(await read("/shadow")).toMatchObject({ status: 404, detail: "The pool has no shadow rule." });
  await patch({ shadow: "static" });
  // Under static bob's share of 30 is all he has; under threshold he has half of the pool.
  const { passed, answer } = await askUntilRefused(gateway, "bob");
  expect(passed).toBe(50);
  await answer.text();
  expect((await read("/shadow")) as ShadowJson).toEqual({
    lending: "threshold",
    shadow: "static",
    since: HALF_TIME,
    counts: { bothAllowed: 30, bothRefused: 1, onlyShadowRefuses: 20, onlyShadowAllows: 0, unknown: 0 },
  });
  const metrics = await (await fetch(`${gateway.url}/metrics`)).text();
  const lines = metrics.split("\n").filter((line) => line.startsWith("quota_shadow_decisions_total{"));
  const labels = 'lending="threshold",shadow="static"';
  expect(lines.sort()).toEqual([
    `quota_shadow_decisions_total{${labels},status="allowed",shadow_status="allowed"} 30`,
    `quota_shadow_decisions_total{${labels},status="allowed",shadow_status="refused"} 20`,
    `quota_shadow_decisions_total{${labels},status="refused",shadow_status="refused"} 1`,
  ]);
  const log = (await (await gateway.admin("GET", "/api/decisions")).json()) as { decision: DecisionJson }[];
  expect(log[0]!.decision.shadow).toMatchObject({
    lending: "static",
    status: "refused",
    reason: "fair-share",
  });

  await patch({ shadow: "reserve" });
  expect(await read("/shadow")).toMatchObject({ shadow: "reserve", counts: { onlyShadowRefuses: 0 } });
  const gone = await gateway.admin("PATCH", `/api/quota/pools/${(await gateway.poolOf("kimi-demo")).id}`, {
    shadow: null,
  });
  expect(await gone.json()).not.toHaveProperty("shadow");
});

test("what the log says of a request is enough to simulate it: when, for how long, and whose", async () => {
  const { gateway } = await seat(HALF_TIME);
  await (await gateway.ask("bob")).text();
  await (await gateway.admin("GET", "/api/quota/pools")).text();
  const answered = (): readonly Record<string, unknown>[] =>
    gateway.logged
      .map((line) => JSON.parse(line) as Record<string, unknown>)
      .filter(({ msg }) => msg === "answered");
  await expect.poll(() => answered().length).toBeGreaterThan(1);
  const known = { time: expect.any(Number), ms: expect.any(Number) };
  expect(answered()).toContainEqual(
    expect.objectContaining({ ...known, path: "/v1/chat/completions", apiKeyId: "bob" }),
  );
  expect(answered().find(({ path }) => path === "/api/quota/pools")).not.toHaveProperty("apiKeyId");
});
