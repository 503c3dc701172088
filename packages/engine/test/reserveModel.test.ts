import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Decision } from "@quota/core";
import type { ReserveModel } from "./reserveModel.js";
import { eventsOf, play, termsOf } from "./reserveHistories.js";

describe("the decaying reserve", () => {
  it("in any history, decides and holds what its definition says: with the aggregate alone never laxer, and with a look at every key exactly", async () => {
    const met = { allowed: 0, refused: 0, deprioritized: 0, swept: 0 };
    await fc.assert(
      fc.asyncProperty(termsOf("any"), eventsOf("any"), async (terms, events) => {
        await play(terms, events, ({ decision, before, key, costs, isSwept, model, usage }) => {
          if (decision !== undefined) {
            const asked = before.clone();
            if (isSwept) asked.cut();
            const { status } = asked.ask(key!, costs!);
            // What others' reserves have given up since they were last written down is looked at before a refusal, and not before that.
            if (decision.status === "deprioritized") expect(status).toMatch(/deprioritized|allowed/);
            else expect(decision.status).toBe(status);
            met[decision.status as "allowed"] += 1;
            if (isSwept) met.swept += 1;
          }
          if (decision?.status === "allowed" || decision?.status === "refused")
            expectNumbers(decision, before, key!, isSwept);
          expect(
            usage.map(({ used, spare, reserved, perKey }) => ({
              used,
              spare,
              reserved,
              reserves: Object.fromEntries(perKey.map(({ apiKeyId, reserve }) => [apiKeyId, reserve])),
            })),
          ).toEqual(
            model.look().map(({ used, spare, reserves }) => ({
              used,
              spare,
              reserved: [...reserves.values()].reduce((sum, reserve) => sum + reserve, 0),
              reserves: Object.fromEntries(reserves),
            })),
          );
        });
      }),
      { numRuns: Number(process.env["RESERVE_HISTORIES"] ?? 80) },
    );
    if (process.env["RESERVE_DEBUG"]) console.log(met);
  }, 600_000);
});

/** A look at the key's own numbers is too stern about what others hold, never too lax; one at all of them is exact. */
function expectNumbers(decision: Decision, before: ReserveModel, key: string, isSwept: boolean): void {
  before.look().forEach(({ reserves, spare, isCut }, d) => {
    const told = decision.dimensions[d]?.reserve;
    if (told === undefined || (isCut && !told.isExact)) return;
    const own = reserves.get(key) ?? 0;
    const others = [...reserves].filter(([other]) => other !== key).map(([, reserve]) => reserve);
    const forOthers = others.reduce((sum, reserve) => sum + reserve, 0);
    if (isSwept) expect(told.isExact).toBe(true);
    if (told.isExact && !isSwept) return;
    expect(told.own).toBe(own);
    if (told.isExact)
      expect(told).toMatchObject({
        forOthers,
        spare,
        holders: others.filter((reserve) => reserve > 0).length,
      });
    else {
      expect(told.spare).toBeLessThanOrEqual(spare);
      expect(told.forOthers).toBeGreaterThanOrEqual(forOthers);
    }
  });
}
