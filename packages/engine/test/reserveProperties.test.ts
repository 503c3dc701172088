import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { WINDOW_MS } from "@quota/core";
import { eventsOf, KEYS, play, termsOf, type Seen, type Terms } from "./reserveHistories.js";
import type { ReserveModel } from "./reserveModel.js";

/** Histories of hard keys without overdraft and without use from outside. */
function inTameHistories(
  kind: "plain" | "hard",
  numRuns: number,
  inspect: (terms: Terms) => (seen: Seen) => void | Promise<void>,
): Promise<void> {
  return fc.assert(
    fc.asyncProperty(termsOf(kind), eventsOf("tame"), async (terms, events) =>
      play(terms, events, inspect(terms), { isTame: true }),
    ),
    { numRuns },
  );
}

/** The moments at which anything can change by itself: around windows' ends, their last part, and the ends of generations. */
function momentsFrom({ dimensions, leaseMs }: Terms, now: number, until: number): readonly number[] {
  const moments: number[] = [];
  const longest = Math.max(...dimensions.map(({ window }) => WINDOW_MS[window]));
  const end = Math.min(until, now + 2 * longest);
  for (const { window } of dimensions) {
    const lengthMs = WINDOW_MS[window];
    for (let opens = Math.floor(now / lengthMs) * lengthMs; opens < end; opens += lengthMs)
      moments.push(
        opens - 1,
        opens,
        opens + Math.ceil(0.98 * lengthMs) - 1,
        opens + Math.ceil(0.98 * lengthMs),
      );
  }
  for (let n = 1; n < 4; n += 1) moments.push((Math.floor(now / leaseMs) + n) * leaseMs);
  for (let n = 1; n < 12; n += 1) moments.push(now + Math.floor(((end - now) * n) / 12));
  return [...new Set(moments)].filter((at) => at > now && at < until).sort((a, b) => a - b);
}

function passesAt(model: ReserveModel, at: number, { key, costs }: Pick<Seen, "key" | "costs">): boolean {
  const then = model.clone();
  then.passTo(at);
  // What was used at a window's end may be more than all reserves leave when they are whole again.
  then.cut();
  return then.ask(key!, costs!).status !== "refused";
}

describe("under the decaying reserve", () => {
  it("what is used stays within the limit, and what is held for keys within what is left of it", async () => {
    await inTameHistories("hard", 25, () => ({ usage }) => {
      for (const { used, spare, reserved, dimension } of usage) {
        expect(used).toBeGreaterThanOrEqual(0);
        expect(used).toBeLessThanOrEqual(dimension.limit as number);
        expect(spare).toBeGreaterThanOrEqual(0);
        expect(used + spare! + reserved!).toBe(dimension.limit);
      }
    });
  });

  it("a request within its key's reserve is admitted, whatever others do", async () => {
    let met = 0;
    await inTameHistories("plain", 25, () => ({ decision, before, key, costs }) => {
      if (decision === undefined) return;
      const reserves = before.look().map(({ reserves }) => reserves.get(key!) ?? 0);
      // A full pool has no reserve, and no room for a request that costs nothing.
      if (!costs!.every((cost, d) => cost <= reserves[d]! && reserves[d]! > 0)) return;
      met += 1;
      expect(decision.status).toBe("allowed");
    });
    expect(met).toBeGreaterThan(0);
  });

  it("at the end of the window, where all keys lend without limits or caps, a request is refused only if the pool is full", async () => {
    const met = { allowed: 0, refused: 0 };
    await fc.assert(
      fc.asyncProperty(termsOf("plain"), eventsOf("tame"), async (terms, events) => {
        await play(
          terms,
          events,
          () => undefined,
          { isTame: true },
          async ({ world }) => {
            // Every window ends with the longest one, and is in its last part a minute before.
            const longest = Math.max(...terms.dimensions.map(({ window }) => WINDOW_MS[window]));
            world.time.now = Math.ceil((world.time.now + 60_000) / longest) * longest - 60_000;
            for (const key of KEYS)
              for (const tokens of [1, 5, 1]) {
                world.time.now += 101;
                const costs = terms.dimensions.map(({ unit }) => (unit === "tokens" ? tokens : 1));
                const usage = (await world.engine.usage(world.pool.id))!.dimensions;
                const isFull = usage.some(
                  ({ used, dimension }, d) => used + costs[d]! > (dimension.limit as number),
                );
                const { status } = (await world.admit(key, { tokens })).decision;
                expect([key, tokens, status]).toEqual([key, tokens, isFull ? "refused" : "allowed"]);
                met[isFull ? "refused" : "allowed"] += 1;
              }
          },
        );
      }),
      { numRuns: 25 },
    );
    expect(met.allowed).toBeGreaterThan(0);
    expect(met.refused).toBeGreaterThan(0);
  });

  it("a refusal names the very millisecond at which the request passes if nobody acts, across windows' ends, holds and dimensions", async () => {
    let met = 0;
    await inTameHistories("hard", 30, (terms) => ({ decision, before, key, costs, isSwept }) => {
      if (decision?.status !== "refused" || decision.reason === "in-flight") return;
      const { retryAt } = decision;
      const now = before.now;
      const until = retryAt ?? Infinity;
      for (const at of momentsFrom(terms, now, until))
        expect([at, passesAt(before, at, { key, costs })]).toEqual([at, false]);
      if (retryAt === undefined) return;
      expect(retryAt).toBeGreaterThan(now);
      expect(passesAt(before, retryAt - 1, { key, costs })).toBe(false);
      // A refusal that stands from a moment ago may name too early a moment, if others used more meanwhile; never one too late.
      if (!isSwept && decision.dimensions.some(({ reserve }) => reserve?.isExact)) return;
      met += 1;
      expect(passesAt(before, retryAt, { key, costs })).toBe(true);
      // Until the next window begins, and reserves with it, time only helps.
      const nextEnd = Math.min(
        ...terms.dimensions.map(
          ({ window }) => (Math.floor(retryAt / WINDOW_MS[window]) + 1) * WINDOW_MS[window],
        ),
      );
      for (const at of momentsFrom(terms, retryAt, nextEnd))
        expect(passesAt(before, at, { key, costs })).toBe(true);
    });
    expect(met).toBeGreaterThan(0);
  });

  it("the engine itself admits at the moment that a refusal names, and refuses one millisecond before", async () => {
    let met = 0;
    const key = fc.nat(KEYS.length - 1);
    const part = fc.constantFrom(0.2, 0.4, 0.6, 0.9);
    await fc.assert(
      fc.asyncProperty(termsOf("hard"), eventsOf("tame", 12), key, part, async (terms, events, k, part) => {
        const tokens = Math.ceil((terms.dimensions.at(-1)!.limit as number) * part);
        await play(
          terms,
          events,
          () => undefined,
          { isTame: true },
          async ({ world }) => {
            world.time.now += 101;
            const ask = () => world.another().admit({ ...world.caller(KEYS[k]!), estimate: { tokens } });
            const { decision } = await ask();
            if (decision.status !== "refused" || decision.retryAt === undefined) return;
            met += 1;
            world.time.now = decision.retryAt - 1;
            expect((await ask()).decision.status).toBe("refused");
            world.time.now = decision.retryAt;
            expect((await ask()).decision.status).toBe("allowed");
          },
        );
      }),
      { numRuns: 50 },
    );
    expect(met).toBeGreaterThan(0);
  });

  it("a refusal changes no use and no hold", async () => {
    await inTameHistories("hard", 15, () => {
      let last: unknown;
      return ({ decision, usage, event }) => {
        const now = usage.map(({ used, held, consumedTotal, perKey }) => ({
          ...{ used, held, consumedTotal },
          perKey: perKey.map(({ consumed, held: keysHeld }) => [consumed, keysHeld]),
        }));
        if (decision?.status === "refused" && event.does === "admit") expect(now).toEqual(last ?? now);
        last = now;
      };
    });
  });
});
