import { leaseGenerations, windowBuckets, WINDOW_MS, type Refused } from "@quota/core";
import { buildRefusal } from "@quota/http";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { asked, decided, NOON, refused } from "./decisions.js";

const told = (decision: Refused, jitter?: number, now = NOON) =>
  buildRefusal({ decision, dialect: "openai", requestId: "req_1", jitter }, now).headers;

describe("When a refused client is told to come back", () => {
  const waits: [
    sentence: string,
    ms: number,
    seconds: string,
    millis: string,
    shouldRetry: string | undefined,
  ][] = [
    ["a whole number of seconds stays", 12_000, "12", "12000", undefined],
    ["a part of a second is rounded up, and exact in milliseconds", 12_001, "13", "12001", undefined],
    ["less than a second is one", 1, "1", "1", undefined],
    ["a moment that has just passed is one, too", -40, "1", "1", undefined],
    ["a minute is still waited for", 60_000, "60", "60000", undefined],
    ["above a minute nobody should sit and wait", 60_001, "61", "60001", "false"],
    ["five hours are told truthfully", 18_000_000, "18000", "18000000", "false"],
    ["thirty days would overflow a timer and are cut off", 2_592_000_000, "2147483", "2147483000", "false"],
  ];
  test.each(waits)("%s", (_sentence, ms, seconds, millis, shouldRetry) => {
    const headers = told(refused({ retryAt: NOON + ms }));
    expect(headers["retry-after"]).toBe(seconds);
    expect(headers["retry-after-ms"]).toBe(millis);
    expect(headers["x-should-retry"]).toBe(shouldRetry);
  });

  const reasons: [
    sentence: string,
    decision: Refused,
    seconds: string | undefined,
    shouldRetry: string | undefined,
  ][] = [
    [
      "requests in flight are looked at again in 5 s",
      refused({ reason: "in-flight", cause: "fair-share" }),
      "5",
      undefined,
    ],
    ["a contended pool in 1 s", refused({ reason: "contended" }), "1", undefined],
    ["a request that is too large never", refused({ reason: "too-large" }), undefined, "false"],
    ["a key without an allocation never", refused({ reason: "not-allocated" }), undefined, "false"],
    [
      "a refusal of which nobody knows the end never",
      refused({ reason: "global-saturated" }),
      undefined,
      "false",
    ],
    ["an end that no date can name is not known", refused({ retryAt: 1e300 }), undefined, "false"],
  ];
  test.each(reasons)("%s", (_sentence, decision, seconds, shouldRetry) => {
    const headers = told(decision, 1);
    expect(headers["retry-after"]).toBe(seconds);
    expect("retry-after-ms" in headers).toBe(seconds !== undefined);
    expect(headers["x-should-retry"]).toBe(shouldRetry);
  });

  test("jitter adds at most 5 % of the wait and at most 30 s, and takes nothing away", () => {
    expect(told(refused({ retryAt: NOON + 20_000 }), 1)["retry-after-ms"]).toBe("21000");
    expect(told(refused({ retryAt: NOON + 20_000 }), 0.5)["retry-after-ms"]).toBe("20500");
    expect(told(refused({ retryAt: NOON + 20_000 }), 0)["retry-after-ms"]).toBe("20000");
    expect(told(refused({ retryAt: NOON + 18_000_000 }), 1)["retry-after-ms"]).toBe("18030000");
    expect(told(refused({ retryAt: NOON + 20_000 }), -7)["retry-after-ms"]).toBe("20000");
    expect(told(refused({ retryAt: NOON + 20_000 }), 9)["retry-after-ms"]).toBe("21000");
  });

  test("property: the wait told is never shorter than the true one, nor longer than the jitter allows", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 2_147_000_000 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (wait, jitter) => {
          const headers = told(refused({ retryAt: NOON + wait }), jitter);
          const ms = Number(headers["retry-after-ms"]);
          expect(ms).toBeGreaterThanOrEqual(wait);
          expect(ms).toBeLessThanOrEqual(wait + Math.min(wait * 0.05, 30_000));
          expect(headers["retry-after"]).toBe(String(Math.ceil(ms / 1000)));
        },
      ),
    );
  });

  test("property: a client that waits that long and finds the pool unchanged gets in", () => {
    const window = "hourly";
    const shape = { slotMs: WINDOW_MS[window], slots: 1, edge: "weighted" } as const;
    const amount = fc.integer({ min: 0, max: 120 });
    fc.assert(
      fc.property(
        fc.record({
          mine: fc.array(amount, { minLength: 3, maxLength: 3 }),
          others: fc.array(amount, { minLength: 3, maxLength: 3 }),
        }),
        fc.record({
          share: fc.integer({ min: 1, max: 100 }),
          cost: fc.integer({ min: 0, max: 20 }),
          late: fc.integer({ min: 0, max: 3_599_999 }),
        }),
        ({ mine, others }, { share, cost, late }) => {
          const now = NOON + late;
          const buckets = [...windowBuckets(shape, now), ...leaseGenerations(600_000, now)];
          const use = (amounts: readonly number[]) => ({
            buckets,
            amounts: [0, ...amounts.slice(0, 2), 0, 0, 0],
          });
          const total = mine.map((own, i) => own + others[i]!);
          const question = [
            asked("requests", window, { limit: 100, used: use(mine), total: use(total), cost, share }),
          ];
          const decision = decided(question, now);
          fc.pre(decision.status === "refused" && decision.retryAt !== undefined);
          const wait = Number(told(decision, 0, now)["retry-after-ms"]);
          expect(decided(question, now + wait).allowed).toBe(true);
        },
      ),
    );
  });
});
