import type { RatePlanNode } from "@quota/core";
import type { RateDecision } from "@quota/engine";
import { expect } from "vitest";
import type { Check } from "./check.js";
import {
  admitted,
  allowedOf,
  handClock,
  inWords,
  MINUTE_START,
  patiently,
  ratesOver,
  scopes,
} from "./rateSteps.js";
import type { UsageStoreUnderTest } from "./usageStoreUnderTest.js";

/** What rate admission promises of limits that are asked side by side, by example. */
export const rateScopesSentences: readonly Check<UsageStoreUnderTest>[] = [
  {
    name: "scopes are asked side by side, in their order, and nothing is kept for anybody",
    async run({ store }) {
      const rates = ratesOver(store);
      const pair = scopes({ rpm: 2 }, { rpm: 3, tpm: 100 });
      const ask = (list: readonly RatePlanNode[], tokens: number): Promise<RateDecision> =>
        rates.admitRates({ id: "pairs", scopes: list }, tokens);
      expect(await admitted(3, () => ask(pair, 10))).toBe(2);
      expect(inWords(await ask(pair, 10))).toMatch(/^rate-limit-rpm scope 0/);
      expect(inWords(await ask([...pair].reverse(), 500))).toMatch(/^rate-limit-rpm scope 0/);
      const { lease } = allowedOf(await ask(pair.slice(1), 10));
      expect(inWords(await ask(pair.slice(1), 10))).toMatch(/^rate-limit-rpm scope 1/);
      await rates.releaseRate(lease);
      expect(await ask(pair.slice(1), 101)).toMatchObject({ reason: "too-large" });
      const again = allowedOf(await ask(pair.slice(1), 80));
      await rates.settleRate(again.lease, 81);
      expect(inWords(await rates.admitRates({ id: "pairs", scopes: scopes({}, { tpm: 100 }) }, 0))).toMatch(
        /^rate-limit-tpm scope 1: 101/,
      );
    },
  },
  {
    name: "a minute may slide, for scopes: what was used fades slot by slot, and the moment to come back is true",
    async run({ store }) {
      for (const edge of ["weighted", "full"] as const) {
        const clock = handClock();
        clock.at = MINUTE_START + 5_000;
        const rates = ratesOver(store, { clock });
        const asked = {
          id: `sliding ${edge}`,
          scopes: scopes({ rpm: 4, tpm: 1000 }),
          sliding: { slots: 6, edge },
        };
        const ask = (): Promise<RateDecision> => rates.admitRates(asked, 10);
        expect(await admitted(3, ask)).toBe(3);
        clock.at = MINUTE_START + 55_000;
        const last = allowedOf(await patiently(ask));
        clock.at = MINUTE_START + 60_000;
        const refused = await patiently(ask);
        if (refused.allowed) throw new Error("A sliding minute began anew with the UTC minute.");
        clock.at = refused.retryAt! - 1;
        expect((await patiently(ask)).allowed).toBe(false);
        clock.at = refused.retryAt!;
        expect((await patiently(ask)).allowed).toBe(true);
        // A full edge lets go of the whole slot at once.
        expect((await patiently(ask)).allowed).toBe(edge === "full");
        await rates.releaseRate(last.lease);
        expect((await patiently(ask)).allowed).toBe(true);
      }
    },
  },
];
