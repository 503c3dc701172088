import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { createMemoryUsageStore, StoreError, type Counter } from "../src/index.js";
import { startRetention } from "../src/startRetention.js";

const DAY = 86_400_000;
const NOW = 1_700_000_000_000;
const counter = (id: string, expiresAt: number): Counter => ({ id, bucket: 1, expiresAt });

describe("startRetention", () => {
  beforeEach(() => vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] }));
  afterEach(() => vi.useRealTimers());

  test("drops what expired longer ago than the retention, at once and again with every interval", async () => {
    const store = createMemoryUsageStore();
    const counters = [14, 13, 0, -1].map((days) =>
      counter(`expired ${String(days)} days ago`, NOW - days * DAY),
    );
    await store.transact({
      ledger: "ledger",
      counters,
      now: 0,
      decide: () => ({ result: 0, additions: counters.map(() => 1) }),
    });
    let now = NOW;
    const retention = startRetention({ store, retentionDays: 14, everyMs: 1000, clock: { now: () => now } });
    await retention.sweep();
    expect(await store.read("ledger", counters)).toEqual([1, 1, 1, 1]);
    now += 1;
    vi.advanceTimersByTime(1000);
    expect(await retention.sweep()).toBe(1);
    expect(await store.read("ledger", counters)).toEqual([0, 1, 1, 1]);
    now += 100 * DAY;
    await retention.stop();
    vi.advanceTimersByTime(10_000);
    expect(await store.read("ledger", counters)).toEqual([0, 1, 1, 1]);
  });

  test("makes the first sweep by itself, and never two at once", async () => {
    const asked: number[] = [];
    let resolve: (rows: number) => void = () => undefined;
    const promise = new Promise<number>((done) => (resolve = done));
    const store = {
      forget: async (before: number) => {
        asked.push(before);
        return promise;
      },
    };
    const retention = startRetention({ store, retentionDays: 1.5, everyMs: 1000, clock: { now: () => NOW } });
    expect(asked).toEqual([NOW - 1.5 * DAY]);
    vi.advanceTimersByTime(5000);
    const both = Promise.all([retention.sweep(), retention.sweep(), retention.stop()]);
    resolve(3);
    expect(await both).toEqual([3, 3, undefined]);
    expect(asked).toHaveLength(1);
  });

  test("asks for its days before every sweep, and drops nothing where the answer is none", async () => {
    const asked: number[] = [];
    const store = { forget: async (before: number) => asked.push(before) };
    const warnings: unknown[] = [];
    const logger = { warn: (entry: unknown) => void warnings.push(entry) };
    let days = 14;
    const retention = startRetention({ store, retentionDays: () => days, clock: { now: () => NOW }, logger });
    await retention.sweep();
    days = 2;
    await retention.sweep();
    expect(asked).toEqual([NOW - 14 * DAY, NOW - 2 * DAY]);
    days = -1;
    expect(await retention.sweep()).toBe("failed");
    expect(asked).toHaveLength(2);
    expect(warnings).toMatchObject([{ err: { field: "retentionDays" } }]);
    await retention.stop();
    expect(() => startRetention({ store, retentionDays: () => days })).toThrow("retentionDays");
  });

  test("survives a store that fails, says so, and tries again", async () => {
    const warnings: unknown[] = [];
    const failure = new StoreError("The disk is away.", { applied: "no" });
    const answers = [Promise.reject(failure), Promise.resolve(7)];
    const store = { forget: async () => answers.shift() ?? 0 };
    const logger = { warn: (entry: unknown) => warnings.push(entry) };
    const retention = startRetention({ store, logger, clock: { now: () => NOW } });
    expect(await retention.sweep()).toBe("failed");
    expect(warnings).toEqual([{ scope: "quota:retention", err: failure }]);
    expect(await retention.sweep()).toBe(7);
    await retention.stop();
  });

  test.each([
    { retentionDays: NaN },
    { retentionDays: -1 },
    { retentionDays: Infinity },
    { everyMs: 0 },
    { everyMs: 2 ** 31 },
  ])("refuses %o at once, naming it", (options) => {
    expect(() => startRetention({ store: createMemoryUsageStore(), ...options })).toThrow(
      expect.objectContaining({ name: "QuotaConfigError", field: Object.keys(options)[0] }),
    );
  });
});
