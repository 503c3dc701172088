import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createMemoryUsageStore, type Lease, type Step, type UsageStore, type Verdict } from "@quota/engine";
import { engineOver } from "./engineOver.js";

interface Asked {
  again: number;
  moved: number;
  readonly changed: unknown[];
}

/** Asks every verdict again at other amounts, all of them within its bounds, as a shared store that commits it would find them. */
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
          // What is taken in of a reading is a claim on the demand that was shown: what came in since is left for the next.
          const isClaim =
            typeof verdict.result === "object" && verdict.result !== null && "known" in verdict.result;
          if (bounds !== undefined && !isClaim) {
            const within = amounts.map(
              (amount, i) => amount + Math.floor((roomUnder(bounds[i]!) - amount) * part()),
            );
            const [before, after] = [outcomeOf(verdict), outcomeOf(step.decide(within))];
            // The engine takes what `decide` throws for a failure of the store, so it is told afterwards.
            if (before !== after) asked.changed.push({ amounts, within, before, after });
            asked.again += 1;
            if (within.some((amount, i) => amount !== amounts[i])) asked.moved += 1;
          }
          return verdict;
        },
      }),
  };
}

/** No limit of these histories is anywhere near. */
function roomUnder(bound: number): number {
  return Math.min(bound, 1_000_000);
}

/** What a store does with a verdict, and whether whoever asked may pass. */
function outcomeOf({ result, additions }: Verdict<unknown>): string {
  return `${String((result as { readonly status?: string }).status)}: ${additions.join(" ")}`;
}

describe("the engine's verdicts", () => {
  it("at any amounts within their bounds, add the same and answer the same", async () => {
    const happening = fc.record({
      key: fc.constantFrom("alice", "bob", "carol"),
      tokens: fc.nat(30),
      closes: fc.boolean(),
      waits: fc.oneof({ weight: 4, arbitrary: fc.constant(0) }, fc.nat(2_000_000)),
    });
    const asked = { again: 0, moved: 0 };
    await fc.assert(
      fc.asyncProperty(
        fc.array(happening, { minLength: 5, maxLength: 40 }),
        fc.constantFrom("hard", "soft", "burst"),
        fc.infiniteStream(fc.oneof(fc.double({ min: 0, max: 1, noNaN: true }), fc.constantFrom(0, 1))),
        async (history, policy, parts) => {
          const store = askingAgain((): number => parts.next().value as number);
          const world = await engineOver({
            store,
            dimensions: [
              { unit: "tokens", window: "hourly", limit: 300 },
              { unit: "requests", window: "5h", limit: 60 },
              { unit: "percent", window: "5h", limit: 100 },
            ],
            pool: {
              allocations: [
                { apiKeyId: "alice", weight: 50, policy },
                { apiKeyId: "bob", weight: 30, capValue: 90, capUnit: "tokens" },
                { apiKeyId: "carol", weight: 20 },
              ],
            },
          });
          const open: Lease[] = [];
          let percent = 0;
          const say = (): Promise<void> =>
            world.engine.observe("seat", [
              {
                ...({ provider: "codex", unit: "percent", window: "5h", source: "test" } as const),
                ...{ utilization: percent / 100, receivedAt: world.time.now },
              },
            ]);
          await say();
          for (const { key, tokens, closes, waits } of history) {
            world.time.now += waits;
            const { lease } = await world.admit(key, { tokens });
            if (lease) open.push(lease);
            const ended = closes ? open.shift() : undefined;
            if (ended) await world.engine.settle(ended, { tokens: tokens * 2 });
            world.time.now += 1;
            percent = Math.min(90, percent + (closes ? tokens / 10 : 0));
            await say();
          }
          expect(store.asked.changed).toEqual([]);
          asked.again += store.asked.again;
          asked.moved += store.asked.moved;
        },
      ),
      { numRuns: 80 },
    );
    // As a rule, some amount had room to move.
    expect(asked.moved).toBeGreaterThan(asked.again / 2);
  });
});
