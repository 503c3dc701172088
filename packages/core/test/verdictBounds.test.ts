import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  decideFairShare,
  verdictBounds,
  type Decision,
  type FairShareQuestion,
  type Reading,
  type Use,
} from "@quota/core";
import { bucketsAt, fairShareQuestion, moment } from "./arbitraries.js";

const STERNNESS = {
  allowed: 0,
  deprioritized: 1,
  refused: 2,
  ungoverned: 0,
  unjudged: 0,
  unavailable: 2,
} as const;
const sternness = (decision: Decision): number => STERNNESS[decision.status];

/** The same question at other amounts. */
function at(
  question: FairShareQuestion,
  amounts: (use: Use, i: number, whose: "used" | "total") => readonly number[],
): FairShareQuestion {
  return {
    ...question,
    dimensions: question.dimensions.map((asked, i) => ({
      ...asked,
      used: { ...(asked.used as Reading), amounts: amounts(asked.used, i, "used") },
      total: { ...(asked.total as Reading), amounts: amounts(asked.total, i, "total") },
    })),
  };
}

describe("the bounds of a verdict", () => {
  const asked = moment.chain((now) => fc.record({ now: fc.constant(now), question: fairShareQuestion(now) }));

  it("hold jointly: at all of them together the rule answers no sterner", () => {
    fc.assert(
      fc.property(asked, ({ now, question }) => {
        const decision = decideFairShare(question, now);
        const bounds = verdictBounds(question, decision, now);
        fc.pre(bounds !== undefined);
        const highest = at(question, (_use, i, whose) =>
          bounds[i]![whose]!.map((bound) => Math.min(bound, 1e12)),
        );
        expect(sternness(decideFairShare(highest, now))).toBeLessThanOrEqual(sternness(decision));
      }),
      { numRuns: 400 },
    );
  });

  it("hold jointly near 2^53 as well, where sums are rounded", () => {
    const now = 3_599_000;
    const buckets = bucketsAt({ slotMs: 60_000, slots: 60, edge: "weighted" }, 600_000, now);
    const whole = (max: number) => fc.integer({ min: 0, max });
    fc.assert(
      fc.property(
        fc.integer({ min: 2 ** 52, max: Number.MAX_SAFE_INTEGER }),
        fc.array(whole(2 ** 45), { minLength: buckets.length, maxLength: buckets.length }),
        fc.record({ utilization: fc.double({ min: 0, max: 1, noNaN: true }), totalThen: whole(2 ** 52) }),
        fc.constantFrom(0, 0.7, 1),
        (limit, amounts, signal, saturationThreshold) => {
          const dimension = { name: "tokens/hourly", unit: "tokens", window: "hourly", limit } as const;
          const question: FairShareQuestion = {
            policy: "hard",
            saturationThreshold,
            dimensions: [
              {
                dimension,
                used: { buckets, amounts: amounts.map(() => 0) },
                total: { buckets, amounts },
                cost: 1,
                share: 1000,
                signal,
              },
            ],
          };
          const decision = decideFairShare(question, now);
          const bounds = verdictBounds(question, decision, now);
          fc.pre(bounds !== undefined);
          const highest = at(question, (_use, i, whose) => bounds[i]![whose]!);
          expect(sternness(decideFairShare(highest, now))).toBeLessThanOrEqual(sternness(decision));
        },
      ),
      { numRuns: 400 },
    );
  });

  it("hold anywhere below, too", () => {
    fc.assert(
      fc.property(
        asked,
        fc.infiniteStream(fc.double({ min: 0, max: 1, noNaN: true })),
        ({ now, question }, parts) => {
          const decision = decideFairShare(question, now);
          const bounds = verdictBounds(question, decision, now);
          fc.pre(bounds !== undefined);
          const somewhere = at(question, (_use, i, whose) =>
            bounds[i]![whose]!.map((bound) => Math.floor(Math.min(bound, 1e6) * parts.next().value)),
          );
          expect(sternness(decideFairShare(somewhere, now))).toBeLessThanOrEqual(sternness(decision));
        },
      ),
      { numRuns: 400 },
    );
  });

  it("never lie below what was read, so that an undisturbed commit always succeeds", () => {
    fc.assert(
      fc.property(asked, ({ now, question }) => {
        const bounds = verdictBounds(question, decideFairShare(question, now), now);
        fc.pre(bounds !== undefined);
        question.dimensions.forEach((dimension, i) => {
          for (const whose of ["used", "total"] as const)
            (dimension[whose] as Reading).amounts.forEach((amount, j) => {
              expect(bounds[i]![whose]![j]).toBeGreaterThanOrEqual(amount);
            });
        });
      }),
      { numRuns: 200 },
    );
  });

  it("leave room for neighbours: in an idle pool many requests fit before a verdict must be asked again", () => {
    const now = 1_000_000;
    const shape = { slotMs: 1000, slots: 1, edge: "weighted" } as const;
    fc.assert(
      fc.property(fc.integer({ min: 100, max: 1_000_000 }), (limit) => {
        const question = idle(limit, shape, now);
        const [bounds] = verdictBounds(question, decideFairShare(question, now), now)!;
        // Half of what is left before strict mode, split over the current bucket and the holds.
        expect(Math.max(...bounds!.total)).toBeGreaterThanOrEqual(Math.floor((limit * 0.5 - 2) / 2));
      }),
    );
  });

  it("are absent for a refusal", () => {
    const now = 1_000_000;
    const question = idle(0.5, { slotMs: 1000, slots: 1, edge: "weighted" }, now);
    expect(verdictBounds(question, decideFairShare(question, now), now)).toBeUndefined();
  });
});

function idle(limit: number, shape: Parameters<typeof bucketsAt>[0], now: number): FairShareQuestion {
  const buckets = bucketsAt(shape, 600, now);
  const nothing = { buckets, amounts: buckets.map(() => 0) };
  const dimension = { name: "requests/hourly", unit: "requests", window: "hourly", limit } as const;
  return { policy: "hard", dimensions: [{ dimension, used: nothing, total: nothing, cost: 1, share: 0 }] };
}
