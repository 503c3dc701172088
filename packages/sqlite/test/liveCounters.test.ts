import type { Counter, LedgerPart } from "@quota/engine";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createSqliteUsageStore, liveCounters } from "../src/index.js";
import { scratch, type Scratch } from "./scratch.js";
import { counterOf, NOW } from "./takeStep.js";

describe("liveCounters", () => {
  let place: Scratch;
  beforeEach(() => {
    place = scratch();
  });
  afterEach(() => place.remove());

  /** A file in which these amounts were added, ledger by ledger. */
  async function holding(ledgers: Readonly<Record<string, readonly (readonly [Counter, number])[]>>) {
    const db = await place.open();
    const store = createSqliteUsageStore(db);
    for (const [ledger, added] of Object.entries(ledgers))
      await store.transact({
        ledger,
        counters: added.map(([counter]) => counter),
        now: NOW - 86_400_000,
        decide: () => ({ result: undefined, additions: added.map(([, amount]) => amount) }),
      });
    return { db, store };
  }

  async function all(parts: AsyncIterable<LedgerPart>): Promise<readonly LedgerPart[]> {
    const found: LedgerPart[] = [];
    for await (const part of parts) found.push(part);
    return found;
  }

  test("names every counter that has an amount, whatever its ids are made of", async () => {
    const alice = counterOf("key|a%7cb|requests/hourly|held", -3);
    const counters: [Counter, number][] = [
      [{ ...alice, expiresAt: NOW + 1 }, -7],
      [counterOf("everyone"), Number.MAX_SAFE_INTEGER],
    ];
    const { db } = await holding({ "pool:{1}": counters, ledger: [[counterOf("everyone"), 5]] });
    expect(await all(liveCounters(db, NOW))).toEqual([
      { ledger: "ledger", counters: [counterOf("everyone")], amounts: [5] },
      {
        ledger: "pool:{1}",
        counters: counters.map(([counter]) => counter),
        amounts: counters.map(([, amount]) => amount),
      },
    ]);
  });

  test("leaves out what has expired, and what has gone back to 0", async () => {
    const gone = { ...counterOf("gone"), expiresAt: NOW };
    const { db, store } = await holding({
      a: [
        [gone, 4],
        [counterOf("back"), 1],
      ],
    });
    await store.transact({
      ledger: "a",
      counters: [counterOf("back")],
      now: NOW,
      decide: () => ({ result: undefined, additions: [-1] }),
    });
    expect(await all(liveCounters(db, NOW))).toEqual([]);
  });

  test("reads a large ledger in parts, each counter once, and comes to its end where a part is just full", async () => {
    for (const size of [499, 500, 501, 1_000, 1_234]) {
      const ledger = `of ${String(size)}`;
      const added = Array.from({ length: size }, (_, i): [Counter, number] => [
        counterOf(`k${String(Math.floor(i / 3))}`, i % 3),
        i + 1,
      ]);
      const { db } = await holding({
        [ledger]: added.map(([counter, amount]) => [{ ...counter, expiresAt: NOW + 1 }, amount]),
      });
      const parts = (await all(liveCounters(db, NOW))).filter((part) => part.ledger === ledger);
      const amounts = parts.flatMap((part) => part.amounts);
      expect(amounts.toSorted((a, b) => a - b)).toEqual(added.map(([, amount]) => amount));
      expect(Math.max(...parts.map(({ counters }) => counters.length))).toBeLessThanOrEqual(500);
    }
  });
});
