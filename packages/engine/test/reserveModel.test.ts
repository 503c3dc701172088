import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { eventsOf, play, termsOf } from "./reserveHistories.js";

describe("the decaying reserve", () => {
  it("in any history, decides and holds what its definition says", async () => {
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
      { numRuns: Number(process.env["RESERVE_HISTORIES"] ?? 300) },
    );
    if (process.env["RESERVE_DEBUG"]) console.log(met);
  });
});
