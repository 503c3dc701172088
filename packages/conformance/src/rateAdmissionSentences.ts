import { InvalidAmountError, QuotaConfigError } from "@quota/core";
import { RatesUnavailableError, type RateDecision } from "@quota/engine";
import { expect } from "vitest";
import type { Check } from "./check.js";
import {
  admitted,
  allowedOf,
  by,
  handClock,
  inWords,
  ratesOver,
  revised,
  scopes,
  watched,
} from "./rateSteps.js";
import { a, b, NEXT_MINUTE, org, TEN, THOUSAND_TOKENS } from "./rateTeam.js";
import { withNeighbour } from "./steps.js";
import type { UsageStoreUnderTest } from "./usageStoreUnderTest.js";

/** What rate admission promises over a store, by example. */
export const rateAdmissionSentences: readonly Check<UsageStoreUnderTest>[] = [
  ...(
    [
      ["requests", TEN, 0],
      ["tokens", THOUSAND_TOKENS, 100],
    ] as const
  ).map(([unit, plan, estimate]) => ({
    name: `refused requests charge nobody, in ${unit}: of 10 by a key that may 2, and 8 by its neighbour, 2 and 8 pass`,
    async run({ store }: UsageStoreUnderTest) {
      const seen = watched(store);
      const rates = ratesOver(seen);
      const used = async (): Promise<number | undefined> =>
        (await rates.rateUsage(by("a", plan))).nodes.at(-1)?.requests.used;
      expect(await admitted(2, () => rates.admitRatePlan(by("a", plan), estimate))).toBe(2);
      const before = seen.changed();
      expect(await admitted(8, () => rates.admitRatePlan(by("a", plan), estimate))).toBe(0);
      expect(seen.changed()).toBe(before);
      expect(await used()).toBe(2);
      expect(await admitted(8, () => rates.admitRatePlan(by("b", plan), estimate))).toBe(8);
      expect(await used()).toBe(10);
      expect(await admitted(1, () => rates.admitRatePlan(by("b", plan), estimate))).toBe(0);
    },
  })),
  {
    name: "a refusal is a value with the node, the dimension, the numbers and the moment the minute turns",
    async run({ store }) {
      const rates = ratesOver(store);
      expect(await admitted(8, () => rates.admitRatePlan(by("b", TEN), 1))).toBe(8);
      expect(await rates.admitRatePlan(by("b", TEN), 1)).toEqual({
        status: "refused",
        allowed: false,
        reason: "rate-limit-rpm",
        refusal: {
          node: { id: "org", kind: "organisation" },
          dimension: "rpm",
          limit: 10,
          used: 8,
          heldForChildren: 2,
          requested: 1,
        },
        retryAt: NEXT_MINUTE,
      });
    },
  },
  {
    name: "requests are asked before tokens, and the leaf before its root",
    async run({ store }) {
      const rates = ratesOver(store);
      const ask = async (nodes: Parameters<typeof revised>[0], id: string): Promise<string> =>
        inWords(await rates.admitRatePlan(by("a", revised(nodes, 1, id)), 5));
      expect(
        await ask(
          [
            { ...org, rpm: 0 },
            { ...a, tpm: 0 },
          ],
          "one",
        ),
      ).toMatch(/^rate-limit-rpm org/);
      expect(
        await ask(
          [
            { ...org, rpm: 0 },
            { ...a, rpm: 0 },
          ],
          "two",
        ),
      ).toMatch(/^rate-limit-rpm a/);
      expect(
        await ask(
          [
            { ...org, tpm: 3 },
            { ...a, tpm: 0 },
          ],
          "three",
        ),
      ).toMatch(/^rate-limit-tpm a/);
    },
  },
  {
    name: "what can never pass is given no moment to come back at",
    async run({ store }) {
      const rates = ratesOver(store);
      const ask = async (nodes: Parameters<typeof revised>[0], estimate: number): Promise<RateDecision> =>
        rates.admitRatePlan(by("b", revised(nodes, 1, JSON.stringify(nodes))), estimate);
      for (const [decision, reason] of [
        [await ask([{ ...org, rpm: 0 }, b], 0), "rate-limit-rpm"],
        [await ask([{ ...org, tpm: 0 }, b], 0), "rate-limit-tpm"],
        [await ask([{ ...org, tpm: 50 }, b], 51), "too-large"],
        [await ask([{ ...org, tpm: 50 }, { ...a, tpm: 20 }, b], 31), "too-large"],
        [await ask([{ ...org, rpm: 5 }, { ...a, rpm: 5 }, b], 0), "rate-limit-rpm"],
      ] as const) {
        expect(decision).toMatchObject({ allowed: false, reason });
        expect(decision).not.toHaveProperty("retryAt");
      }
      expect(await ask([{ ...org, tpm: 50 }, { ...a, tpm: 20 }, b], 30)).toMatchObject({ allowed: true });
    },
  },
  {
    name: "when the minute turns, every limit is unused",
    async run({ store }) {
      const clock = handClock();
      const rates = ratesOver(store, { clock });
      expect(await admitted(9, () => rates.admitRatePlan(by("b", TEN), 1))).toBe(8);
      clock.at = NEXT_MINUTE - 1;
      expect(await admitted(9, () => rates.admitRatePlan(by("b", TEN), 1))).toBe(0);
      clock.at = NEXT_MINUTE;
      expect(await admitted(9, () => rates.admitRatePlan(by("b", TEN), 1))).toBe(8);
    },
  },
  {
    name: "an empty path, and no scopes, pass without touching the store",
    async run({ store }) {
      await store.close();
      const rates = ratesOver(store);
      const { lease, ...decision } = allowedOf(await rates.admitRatePlan(revised([{ ...org, rpm: 0 }]), 7));
      expect(decision).toEqual({ status: "allowed", allowed: true });
      await rates.settleRate(lease, 70);
      expect((await rates.admitRates({ id: "scopes", scopes: [] }, 7)).allowed).toBe(true);
    },
  },
  {
    name: "a store that fails lets nobody pass: the error keeps its cause",
    async run({ store }) {
      const rates = ratesOver(store);
      const { lease } = allowedOf(await rates.admitRatePlan(by("a", TEN), 1));
      await store.close();
      const failure = { name: "RatesUnavailableError", cause: { name: "StoreError" } };
      await expect(rates.admitRatePlan(by("a", TEN), 1)).rejects.toMatchObject(failure);
      await expect(rates.admitRates({ id: "scopes", scopes: scopes({ rpm: 5 }) }, 1)).rejects.toMatchObject(
        failure,
      );
      await expect(rates.rateUsage(by("a", TEN))).rejects.toBeInstanceOf(RatesUnavailableError);
      await expect(rates.settleRate(lease, 9)).rejects.toMatchObject(failure);
      expect(rates.status().storeFailure?.cause).toMatchObject({ name: "StoreError" });
    },
  },
  {
    name: "what is no amount is refused by its name, and nothing is written",
    async run({ store }) {
      const seen = watched(store);
      const rates = ratesOver(seen);
      const { lease } = allowedOf(await rates.admitRatePlan(by("a", TEN), 1));
      const before = seen.changed();
      for (const wrong of [NaN, Infinity, -Infinity, -1, 0.5, 2 ** 53, true, "5", null, undefined, [1], {}]) {
        const amount = wrong as number;
        const named = (field: string): unknown => ({ name: "InvalidAmountError", field });
        await expect(rates.admitRatePlan(by("a", TEN), amount)).rejects.toMatchObject(
          named("estimate") as object,
        );
        await expect(
          rates.admitRates({ id: "s", scopes: scopes({ rpm: 5 }) }, amount),
        ).rejects.toBeInstanceOf(InvalidAmountError);
        await expect(rates.settleRate(lease, amount)).rejects.toMatchObject(named("actualTokens") as object);
      }
      for (const plan of [
        { ...TEN, id: "" },
        { ...TEN, revision: 0.5 },
        { ...TEN, revision: -1 },
      ])
        await expect(
          rates.admitRatePlan(by("a", { ...plan, id: plan.id && "other" }), 1),
        ).rejects.toBeInstanceOf(QuotaConfigError);
      expect(seen.changed()).toBe(before);
      expect(lease.state).toBe("open");
    },
  },
  {
    name: "an answer reads its path and no more, in a tree of two thousand nodes",
    async run({ store }) {
      const seen = watched(store);
      const rates = ratesOver(seen);
      const crowd = Array.from({ length: 2000 }, (_, i) => ({ ...a, id: `key ${String(i)}`, rpm: 1 }));
      const wide = revised([{ ...org, rpm: 2000 }, ...crowd]);
      expect(await admitted(2, () => rates.admitRatePlan(by("key 77", wide), 1))).toBe(1);
      expect(seen.shown()).toBe(2 * 7);
      expect((await rates.rateUsage(by("key 77", wide))).nodes[1]?.requests).toEqual({
        limit: 2000,
        used: 1,
        heldForChildren: 1999,
        left: 0,
      });
    },
  },
  {
    name: "whoever looks sees limits, use, what is held for children and what is left, from the node to its root",
    async run({ store }) {
      const rates = ratesOver(store);
      expect(await admitted(3, () => rates.admitRatePlan(by("b", TEN), 40))).toBe(3);
      expect(await admitted(1, () => rates.admitRatePlan(by("a", TEN), 2))).toBe(1);
      expect(await rates.rateUsage(by("b", TEN))).toEqual({
        revision: 1,
        resetsAt: NEXT_MINUTE,
        nodes: [
          {
            id: "b",
            kind: "key",
            requests: { limit: "unlimited", used: 3, heldForChildren: 0, left: "unlimited" },
            tokens: { limit: "unlimited", used: 120, heldForChildren: 0, left: "unlimited" },
          },
          {
            id: "org",
            kind: "organisation",
            requests: { limit: 10, used: 4, heldForChildren: 1, left: 5 },
            tokens: { limit: "unlimited", used: 122, heldForChildren: 0, left: "unlimited" },
          },
        ],
        available: { requests: 5, tokens: "unlimited" },
      });
      expect((await rates.rateUsage(by("a", TEN))).available).toEqual({ requests: 1, tokens: "unlimited" });
    },
  },
  {
    name: "two handles on the same data see one minute",
    async run(subject) {
      await withNeighbour(subject, async (neighbour) => {
        const [here, there] = [ratesOver(subject.store), ratesOver(neighbour)];
        expect(await admitted(5, () => here.admitRatePlan(by("b", TEN), 1))).toBe(5);
        expect(await admitted(5, () => there.admitRatePlan(by("b", TEN), 1))).toBe(3);
        expect(await admitted(5, () => here.admitRatePlan(by("a", TEN), 1))).toBe(2);
        const { lease } = allowedOf(await here.admitRates({ id: "s", scopes: scopes({ rpm: 1 }) }, 1));
        expect((await there.admitRates({ id: "s", scopes: scopes({ rpm: 1 }) }, 1)).allowed).toBe(false);
        await expect(there.releaseRate(lease)).rejects.toBeInstanceOf(TypeError);
        await here.releaseRate(lease);
        expect((await there.admitRates({ id: "s", scopes: scopes({ rpm: 1 }) }, 1)).allowed).toBe(true);
      });
    },
  },
];
