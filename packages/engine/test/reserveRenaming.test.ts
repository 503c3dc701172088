import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { eventsOf, KEYS, play, termsOf, type Event, type Terms } from "./reserveHistories.js";

describe("under the decaying reserve", () => {
  it("renaming keys and listing them in another order changes nothing", async () => {
    const names = ["zoe", "yan", "alice"] as const;
    await fc.assert(
      fc.asyncProperty(termsOf("any"), eventsOf("any", 25), async (terms, events) => {
        const seen = await told(terms, events, KEYS);
        const renamed: Terms = {
          ...terms,
          allocations: terms.allocations.map((each, i) => ({ ...each, apiKeyId: names[i]! })).reverse(),
        };
        expect(await told(renamed, events, [...names, "mallory"])).toEqual(seen);
      }),
      { numRuns: 20 },
    );
  });

  it("splitting a request changes nothing: two halves pass where the whole does, and leave the same behind", async () => {
    const single = termsOf("hard").map((terms): Terms => ({
      ...terms,
      dimensions: terms.dimensions.slice(-1),
    }));
    const met = { passed: 0, refused: 0 };
    await fc.assert(
      fc.asyncProperty(
        single,
        eventsOf("tame", 20),
        fc.nat(KEYS.length - 1),
        fc.tuple(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 1, max: 40 })),
        async (terms, events, key, parts) => {
          const after = async (costs: readonly number[]) => {
            let result: unknown;
            await play(
              terms,
              events,
              () => undefined,
              { isTame: true },
              async ({ world }) => {
                world.time.now += 1001;
                const statuses: string[] = [];
                for (const tokens of costs)
                  statuses.push((await world.admit(KEYS[key]!, { tokens, requests: 0 })).decision.status);
                const passed = statuses.every((status) => status === "allowed");
                const { used, spare, reserved, perKey } = await world.dimension();
                result = passed
                  ? { used, spare, reserved, reserves: perKey.map(({ reserve }) => reserve) }
                  : "refused";
              },
            );
            return result;
          };
          const whole = await after([parts[0] + parts[1]]);
          met[whole === "refused" ? "refused" : "passed"] += 1;
          expect(await after(parts)).toEqual(whole);
        },
      ),
      { numRuns: 40 },
    );
    expect(met.passed).toBeGreaterThan(0);
    expect(met.refused).toBeGreaterThan(0);
  });
});

/** What was decided, and what is held for whom after that, key by key in the order of `names`. */
async function told(terms: Terms, events: readonly Event[], names: readonly string[]): Promise<unknown> {
  const seen: unknown[] = [];
  await play(
    terms,
    events,
    ({ decision, usage }) => {
      const retryAt = decision?.status === "refused" ? decision.retryAt : undefined;
      seen.push([
        decision?.status,
        retryAt,
        usage.map(({ used, spare, perKey }) => [
          used,
          spare,
          names.map((name) => perKey.find(({ apiKeyId }) => apiKeyId === name)?.reserve),
        ]),
      ]);
    },
    { names },
  );
  return seen;
}
