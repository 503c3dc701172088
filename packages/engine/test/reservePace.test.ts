import fc from "fast-check";
import { expect, it } from "vitest";
import { type AllocationSpec } from "@quota/core";
import type { Lease } from "@quota/engine";
import { START } from "./engineOver.js";
import { worldOf } from "./reserveHistories.js";

const HOUR = 3_600_000;

/** The smallest whole use that is at least x² of a share at the part x of the window, and all of it at the end. */
function pace(share: number, x: number): number {
  return x >= 0.98 ? share : Math.ceil(share * x * x);
}

it("a key that uses at least x² of its share by x, at every moment, is never refused its whole share, whatever everybody else grabs", async () => {
  const grab = fc.record({
    key: fc.constantFrom("bob", "carol", "mallory"),
    cost: fc.nat(70),
    settles: fc.boolean(),
  });
  const step = fc.record({
    to: fc.integer({ min: 1, max: 999 }),
    more: fc.nat(15),
    grabs: fc.array(grab, { maxLength: 4 }),
  });
  const others = fc.constantFrom<readonly AllocationSpec[]>(
    [
      { apiKeyId: "bob", weight: 30 },
      { apiKeyId: "carol", weight: 20 },
    ],
    [
      { apiKeyId: "bob", weight: 0 },
      { apiKeyId: "carol", weight: 50, lend: false },
    ],
  );
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 3, maxLength: 10 }),
      others,
      fc.constantFrom(300_000, 2_000_000, 10 * HOUR),
      fc.constantFrom(40, 100, 999),
      async (steps, keys, leaseMs, limit) => {
        const { world, engines } = await worldOf({
          dimensions: [{ unit: "tokens", window: "hourly", limit, anchor: "epoch" }],
          allocations: [{ apiKeyId: "alice", weight: 50 }, ...keys],
          unallocated: "borrow",
          curve: "pace",
          leaseMs,
        });
        const share = Math.floor(limit / 2);
        let used = 0;
        const ask = async (amount: number): Promise<void> => {
          if (amount <= 0) return;
          const admission = await world.admit("alice", { tokens: amount });
          expect(admission.decision.status).toBe("allowed");
          await world.engine.settle(admission.lease!, { tokens: amount });
          used += amount;
        };
        const open: Lease[] = [];
        const moments = [...steps].sort((a, b) => a.to - b.to);
        /** Before that much of the window has passed, she has used what she must. */
        const passTo = async (at: number): Promise<void> => {
          await ask(pace(share, (at - START) / HOUR) - used);
          world.time.now = at;
        };
        for (const { to, more, grabs } of moments) {
          await passTo(Math.max(world.time.now, START + to * 3500));
          for (const { key, cost, settles } of grabs) {
            await passTo(world.time.now + 101);
            const { lease } = await engines[1].admit({ ...world.caller(key), estimate: { tokens: cost } });
            if (lease && settles) await engines[1].settle(lease, { tokens: cost });
            else if (lease) open.push(lease);
          }
          await ask(Math.min(more, share - used));
        }
        // All that is left of it.
        await ask(share - used);
      },
    ),
    { numRuns: 60 },
  );
});
