import fc from "fast-check";
import { expect, it } from "vitest";
import { decideFairShare, type Policy } from "@quota/core";

/** Keys that share one pool, and what they ask for, one after the other. Nothing fades, so what is lent stays lent. */
const histories = fc
  .array(fc.record({ share: fc.nat(60), policy: fc.constantFrom<Policy>("hard", "soft", "burst") }), {
    minLength: 1,
    maxLength: 5,
  })
  .chain((keys) =>
    fc.record({
      keys: fc.constant(keys),
      limit: fc.integer({ min: 1, max: 120 }),
      saturationThreshold: fc.constantFrom(0, 0.3, 0.5, 1),
      requests: fc.array(fc.record({ key: fc.nat(keys.length - 1), cost: fc.nat(15) }), { maxLength: 60 }),
    }),
  );

it("in any history the ceiling holds, no key inside its share is refused for shares, and past it a hard key gains nothing", () => {
  fc.assert(
    fc.property(histories, ({ keys, limit, saturationThreshold, requests }) => {
      const used = keys.map(() => 0);
      let total = 0;
      for (const { key, cost } of requests) {
        const { share, policy } = keys[key]!;
        const before = used[key]!;
        const strict = total / limit >= saturationThreshold;
        const dimension = { name: "requests/hourly", unit: "requests", window: "hourly", limit } as const;
        const decision = decideFairShare(
          { policy, saturationThreshold, dimensions: [{ dimension, used: before, total, cost, share }] },
          0,
        );
        if (decision.status === "refused" && decision.reason === "fair-share") {
          expect(policy).toBe("hard");
          expect(strict && before >= share).toBe(true);
        }
        if (!decision.allowed) continue;
        if (strict && policy === "hard" && cost > 0) expect(before).toBeLessThan(share);
        used[key] = before + cost;
        total += cost;
        expect(total).toBeLessThanOrEqual(limit);
      }
    }),
    { numRuns: 500 },
  );
});
