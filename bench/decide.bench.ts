import {
  decideFairShare,
  leaseGenerations,
  windowBuckets,
  type DimensionQuestion,
  type FairShareQuestion,
  type Reading,
  type Unit,
  type WindowName,
} from "@quota/core";
import { RateLimiterMemory } from "rate-limiter-flexible";
import { processorTime } from "./clocks.js";
import { inTurns } from "./inTurns.js";
import type { Figure, Measurement, Target } from "./measurement.js";
import { saveResult } from "./saveResult.js";
import { keyId, parsed } from "./team.js";

const NOW = Date.UTC(2026, 0, 5, 10, 20);
const LEASE_MS = 600_000;
const PLAN: readonly (readonly [Unit, WindowName])[] = [
  ["requests", "hourly"],
  ["tokens", "5h"],
  ["usd", "daily"],
  ["percent", "weekly"],
];
/** Different readings in turn, so that nothing can be computed once. */
const VARIANTS = 64;
const CALLS = 5_000;

const limiter = new RateLimiterMemory({ points: 1e12, duration: 3600 });
const keys = Array.from({ length: VARIANTS }, (_, i) => keyId(i));

const medians = await inTurns(
  {
    consume: () => processorTime(CALLS, consume),
    oneAllowed: deciding(1, "allowed"),
    fourAllowed: deciding(4, "allowed"),
    oneRefused: deciding(1, "refused", 1_000),
    fourRefused: deciding(4, "refused", 1_000),
  },
  { rounds: 50 },
);

const peer: Figure = {
  name: "RateLimiterMemory.consume",
  value: medians.consume,
  guarantee: "checks and counts one counter, holds nothing",
};
const row = (work: string, value: number, given: { guarantee: string; target?: Target }): Measurement => ({
  work: `decideFairShare, ${work}`,
  unit: "µs",
  ours: { name: "decideFairShare", value, guarantee: given.guarantee },
  peer,
  ...(given.target && { target: given.target }),
});
const seen = "6 buckets of the key's and 6 of everybody's, holds included; decides, counts nothing";
await saveResult("decide", [
  row("1 dimension, allowed", medians.oneAllowed, {
    guarantee: `1 dimension, ${seen}`,
    target: { of: "ratio", atMost: 0.4 },
  }),
  row("4 dimensions, allowed", medians.fourAllowed, {
    guarantee: `4 dimensions, each ${seen}`,
    target: { of: "ratio", atMost: 1 },
  }),
  row("1 dimension, refused", medians.oneRefused, {
    guarantee: `1 dimension, ${seen}; tells the millisecond at which it would pass`,
  }),
  row("4 dimensions, all refused", medians.fourRefused, {
    guarantee: `4 dimensions, each ${seen}; tells the millisecond at which all would pass`,
  }),
]);

async function consume(calls: number): Promise<void> {
  for (let i = 0; i < calls; i += 1) await limiter.consume(keys[i % VARIANTS]!, 1);
}

function deciding(dimensions: number, outcome: "allowed" | "refused", calls = CALLS): () => Promise<number> {
  const questions = Array.from({ length: VARIANTS }, (_, i) => questionOf(dimensions, outcome, i));
  return () =>
    processorTime(calls, () => {
      for (let i = 0; i < calls; i += 1)
        if (decideFairShare(questions[i % VARIANTS]!, NOW).status !== outcome)
          throw new Error(`The question was meant to be ${outcome}.`);
    });
}

/** Strict and past the share where it is to be refused; else strict or generous, inside the share. */
function questionOf(dimensions: number, outcome: "allowed" | "refused", variant: number): FairShareQuestion {
  const generations = leaseGenerations(LEASE_MS, NOW);
  return {
    policy: "hard",
    saturationThreshold: 0.5,
    dimensions: PLAN.slice(0, dimensions).map(([unit, window]): DimensionQuestion => {
      const limit = unit === "percent" ? 100 : 1_000_000;
      const [dimension] = parsed([{ unit, window, limit }]);
      const grains = dimension!.limit as number;
      const buckets = [...windowBuckets(dimension!.shape, NOW), ...generations];
      const reading = (part: number): Reading => {
        const amount = Math.floor((grains * part) / 4) + variant;
        return { buckets, amounts: [0, amount, amount, 0, amount, amount] };
      };
      return {
        dimension: dimension!,
        used: reading(outcome === "refused" ? 0.4 : 0.1),
        total: reading(outcome === "refused" || variant % 2 === 0 ? 0.75 : 0.3),
        cost: 1 + variant,
        share: Math.floor(grains * 0.2),
      };
    }),
  };
}
