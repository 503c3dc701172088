import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createMemoryUsageStore, type Lease, type Step, type UsageStore, type Verdict } from "@quota/engine";
import { engineOver } from "./engineOver.js";

interface Asked {
  again: number;
  moved: number;
  readonly changed: unknown[];
}

/**
 * Asks every verdict again at other amounts that are within its bounds, as a shared store that commits it would find them: what counts as unchanged
 * exactly as shown, everything else anywhere up to its bound.
 */
function askingAgain(part: () => number): UsageStore & { readonly asked: Asked } {
  const memory = createMemoryUsageStore();
  const asked: Asked = { again: 0, moved: 0, changed: [] };
  return {
    ...memory,
    asked,
    transact: <Result>(step: Step<Result>) =>
      memory.transact({
        ...step,
        decide(amounts) {
          const verdict = step.decide(amounts);
          const bounds = verdict.holdsUpTo;
          // What others hold changes with everybody's use and with what is lent, never by itself: that is left to stores that interleave.
          const looksAtAll = step.counters.length > MOST_OF_ONE;
          if (bounds !== undefined && !looksAtAll) {
            const within = amounts.map((amount, i) => {
              const bound = bounds[i];
              return bound === undefined
                ? amount
                : amount + Math.floor((Math.min(bound, 100_000) - amount) * part());
            });
            const [before, after] = [outcomeOf(verdict), outcomeOf(step.decide(within))];
            if (before !== after) asked.changed.push({ amounts, within, bounds, before, after });
            asked.again += 1;
            if (within.some((amount, i) => amount !== amounts[i])) asked.moved += 1;
          }
          return verdict;
        },
      }),
  };
}

/** A sheet of two dimensions: three settled or fewer and three held counters, four times, and the revision. */
const MOST_OF_ONE = 2 * 4 * 6 + 1;

/** What a store does with a verdict, and whether whoever asked may pass. */
function outcomeOf({ result, additions }: Verdict<unknown>): string {
  const { decision } = result as { readonly decision?: { readonly status: string } };
  return `${String(decision?.status)}: ${additions.join(" ")}`;
}

describe.each(["reserve", "static", "open", "threshold"] as const)(
  "the engine's verdicts under %s",
  (lending) => {
    it("at any amounts within their bounds, add the same and answer the same", async () => {
      const happening = fc.record({
        key: fc.constantFrom("alice", "bob", "carol", "mallory"),
        tokens: fc.nat(30),
        closes: fc.boolean(),
        part: fc.constantFrom(0, 0.5, 1, 2),
        waits: fc.oneof({ weight: 4, arbitrary: fc.constant(101) }, fc.nat(2_000_000)),
      });
      const asked = { again: 0, moved: 0 };
      await fc.assert(
        fc.asyncProperty(
          fc.array(happening, { minLength: 5, maxLength: 40 }),
          fc.constantFrom("hard" as const, "soft" as const, "burst" as const),
          fc.constantFrom(undefined, 0, 10),
          fc.infiniteStream(fc.oneof(fc.double({ min: 0, max: 1, noNaN: true }), fc.constantFrom(0, 1))),
          async (history, policy, borrowingLimit, parts) => {
            const store = askingAgain((): number => parts.next().value as number);
            const world = await engineOver({
              store,
              dimensions: [
                { unit: "tokens", window: "hourly", limit: 300, anchor: "epoch" },
                { unit: "requests", window: "5h", limit: 60, anchor: "epoch" },
              ],
              pool: {
                lending,
                allocations: [
                  { apiKeyId: "alice", weight: 50, policy },
                  { apiKeyId: "bob", weight: 30, capValue: 90, capUnit: "tokens" },
                  { apiKeyId: "carol", weight: 20, ...(borrowingLimit !== undefined && { borrowingLimit }) },
                ],
              },
            });
            const open: Lease[] = [];
            for (const { key, tokens, closes, waits, part } of history) {
              world.time.now += waits;
              const { lease } = await world.admit(key, { tokens });
              if (lease) open.push(lease);
              const ended = closes ? open.shift() : undefined;
              if (ended) await world.engine.settle(ended, { tokens: Math.round(tokens * part) });
            }
            expect(store.asked.changed).toEqual([]);
            asked.again += store.asked.again;
            asked.moved += store.asked.moved;
          },
        ),
        { numRuns: 40, endOnFailure: !!process.env["RESERVE_DEBUG"] },
      );
      // As a rule, some amount had room to move.
      expect(asked.moved).toBeGreaterThan(asked.again / 2);
    });
  },
);
