import { expect } from "vitest";
import type { Check } from "./check.js";
import { admitted, allowedOf, by, handClock, inWords, ratesOver, revised } from "./rateSteps.js";
import { b, NEXT_MINUTE, org, THOUSAND_TOKENS } from "./rateTeam.js";
import type { UsageStoreUnderTest } from "./usageStoreUnderTest.js";

/** What rate admission promises of requests that are over, by example. */
export const rateSettlementSentences: readonly Check<UsageStoreUnderTest>[] = [
  {
    name: "a settlement above the estimate weighs on the current minute, and on nobody's minute twice",
    async run({ store }) {
      const clock = handClock();
      const rates = ratesOver(store, { clock });
      const { lease } = allowedOf(await rates.admitRatePlan(by("a", THOUSAND_TOKENS), 50));
      clock.at = NEXT_MINUTE + 120_000;
      await Promise.all([
        rates.settleRate(lease, 1200),
        rates.settleRate(lease, 1200),
        rates.releaseRate(lease),
      ]);
      expect(lease.state).toBe("settled");
      const { nodes } = await rates.rateUsage(by("a", THOUSAND_TOKENS));
      expect(nodes.map(({ requests, tokens }) => [requests.used, tokens.used])).toEqual([
        [0, 1150],
        [0, 1150],
      ]);
      expect(inWords(await rates.admitRatePlan(by("b", THOUSAND_TOKENS), 0))).toMatch(/^rate-limit-tpm org/);
    },
  },
  {
    name: "a settlement below the estimate gives the rest back, once, while its own minute lasts",
    async run({ store }) {
      const clock = handClock();
      const rates = ratesOver(store, { clock });
      const [soon, late] = [
        allowedOf(await rates.admitRatePlan(by("a", THOUSAND_TOKENS), 100)),
        allowedOf(await rates.admitRatePlan(by("a", THOUSAND_TOKENS), 100)),
      ];
      await rates.settleRate(soon.lease, 30);
      await rates.settleRate(soon.lease, 0);
      const use = async (): Promise<unknown> =>
        (await rates.rateUsage(by("a", THOUSAND_TOKENS))).nodes.map(({ requests, tokens }) => [
          requests.used,
          tokens.used,
          tokens.heldForChildren,
        ]);
      expect(await use()).toEqual([
        [2, 130, 0],
        [2, 130, 70],
      ]);
      clock.at = NEXT_MINUTE;
      await rates.settleRate(late.lease, 30);
      expect(await use()).toEqual([
        [0, 0, 0],
        [0, 0, 200],
      ]);
    },
  },
  {
    name: "a release gives back the request and its tokens, once, while its own minute lasts",
    async run({ store }) {
      const clock = handClock();
      const rates = ratesOver(store, { clock });
      const plan = revised([{ ...org, rpm: 2, tpm: 10 }, b]);
      const first = allowedOf(await rates.admitRatePlan(by("b", plan), 5));
      const second = allowedOf(await rates.admitRatePlan(by("b", plan), 5));
      await Promise.all([rates.releaseRate(first.lease), rates.releaseRate(first.lease)]);
      expect(await admitted(3, () => rates.admitRatePlan(by("b", plan), 5))).toBe(1);
      clock.at = NEXT_MINUTE;
      await rates.releaseRate(second.lease);
      expect(await admitted(3, () => rates.admitRatePlan(by("b", plan), 5))).toBe(2);
    },
  },
];
