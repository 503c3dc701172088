import type { RateAdmission, RateDecision, RevisedRatePlan, UsageStore } from "@quota/engine";
import fc from "fast-check";
import { expect } from "vitest";
import type { Check } from "./check.js";
import { expectDefinition } from "./rateAdmissionRevisions.js";
import { by, patiently, ratesOver, revised } from "./rateSteps.js";
import { withNeighbour } from "./steps.js";
import type { UsageStoreUnderTest } from "./usageStoreUnderTest.js";

const org = { id: "org", kind: "organisation" };
const a = { id: "a", kind: "key", parent: "org" };
const b = { id: "b", kind: "key", parent: "org" };
const c = { id: "c", kind: "key", parent: "org" };

/** Rate admission under many callers at once, over two handles. */
export const rateAdmissionCrowds: readonly Check<UsageStoreUnderTest>[] = [
  {
    name: "200 callers at once at a ceiling of 50, of which 10 are kept for a neighbour, are granted exactly 40, and the neighbour its 10",
    async run(subject) {
      const plan = revised([{ ...org, rpm: 50 }, { ...a, rpm: 10 }, b]);
      await over(subject, async (rates) => {
        const both = await crowd(200, (i) =>
          rates[i % 2]!.admitRatePlan(by(i % 20 === 19 ? "a" : "b", plan), 3),
        );
        expect(both.filter((decision, i) => decision.allowed && i % 20 !== 19)).toHaveLength(40);
        const late = await crowd(200, (i) => rates[i % 2]!.admitRatePlan(by("a", plan), 3));
        expect([...both, ...late].filter(({ allowed }) => allowed)).toHaveLength(50);
        const { nodes } = await rates[0].rateUsage(by("a", plan));
        expect(nodes.map(({ requests, tokens }) => [requests.used, tokens.used])).toEqual([
          [10, 30],
          [50, 150],
        ]);
      });
    },
  },
  {
    name: "while 100 ask and 100 settle at once, no admission passes a limit, and every sum is what was settled",
    async run(subject) {
      const plan = revised([{ ...org, tpm: 400 }, { ...a, tpm: 100 }, { ...b, tpm: 100 }, c]);
      const leaves = ["a", "b", "c"];
      await over(subject, async (rates) => {
        const first = await crowd(40, (i) => rates[i % 2]!.admitRatePlan(by(leaves[i % 3]!, plan), 5));
        const spent = new Map<string, number>(leaves.map((id) => [id, 0]));
        const spend = (i: number, tokens: number): void => {
          spent.set(leaves[i % 3]!, spent.get(leaves[i % 3]!)! + tokens);
        };
        const second = await crowd(100, async (i) => {
          const decision = first[i];
          if (decision?.allowed) await settle(rates[i % 2]!, decision, i % 8);
          return rates[i % 2]!.admitRatePlan(by(leaves[i % 3]!, plan), 5);
        });
        first.forEach(({ allowed }, i) => spend(i, allowed ? i % 8 : 0));
        second.forEach(({ allowed }, i) => spend(i, allowed ? 5 : 0));
        for (const id of leaves)
          expect((await rates[0].rateUsage(by(id, plan))).nodes[0]!.tokens.used).toBe(spent.get(id));
        const { used } = (await rates[1].rateUsage(by("c", plan))).nodes[1]!.tokens;
        expect(used).toBe([...spent.values()].reduce((sum, tokens) => sum + tokens, 0));
        expect(used).toBeLessThanOrEqual(400 + 3 * 40);
        await expectDefinition(rates, plan);
      });
    },
  },
  {
    name: "while the plan changes under 200 callers, everybody is charged once and what is held stays true",
    async run(subject) {
      const before = revised([{ ...org, rpm: 60 }, { ...a, rpm: 20 }, b, c], 1);
      const after = revised([{ ...org, rpm: 90 }, a, { ...b, rpm: 30 }, { ...c, rpm: 10 }], 2);
      const leaves = ["a", "b", "c"];
      await over(
        subject,
        async (rates) => {
          const decisions = await crowd(200, (i) =>
            rates[i % 2]!.admitRatePlan(by(leaves[i % 3]!, i % 2 === 0 || i > 100 ? before : after), 1),
          );
          const passed = decisions.filter(({ allowed }) => allowed).length;
          const { nodes } = await rates[0].rateUsage(by("a", after));
          expect(nodes.at(-1)!.requests.used).toBe(passed);
          expect(passed).toBeLessThanOrEqual(90);
          await expectDefinition(rates, after);
        },
        after,
      );
    },
  },
];

/** Rate admission over a store whose conversations with its backend overlap in every order that can be thought of. */
export async function expectShakenCeiling(
  stores: readonly [UsageStore, UsageStore],
  { limit, kept }: { readonly limit: number; readonly kept: number },
): Promise<void> {
  const plan = revised([{ ...org, rpm: limit, tpm: 100 }, { ...a, rpm: kept }, b]);
  const rates = stores.map((store) => ratesOver(store));
  const decisions = await crowd(10, async (i) => {
    const decision = await rates[i % 2]!.admitRatePlan(by("b", plan), 5);
    if (decision.allowed && i % 3 === 0) await settle(rates[i % 2]!, decision, i);
    return decision;
  });
  expect(decisions.filter(({ allowed }) => allowed)).toHaveLength(Math.min(10, Math.max(0, limit - kept)));
  await expectDefinition(rates, plan);
}

/** Limits of a small tree, for {@link expectShakenCeiling}. */
export const ceilingArbitrary = fc.record({
  limit: fc.integer({ min: 1, max: 9 }),
  kept: fc.nat({ max: 4 }),
});

async function over(
  subject: UsageStoreUnderTest,
  work: (rates: readonly [RateAdmission, RateAdmission]) => Promise<void>,
  newest?: RevisedRatePlan,
): Promise<void> {
  const options = newest === undefined ? {} : { loadPlan: async () => newest };
  await withNeighbour(subject, async (neighbour) =>
    work([ratesOver(subject.store, options), ratesOver(neighbour, options)]),
  );
}

/** What so many callers, all asking at the same moment, are told. */
function crowd(callers: number, ask: (i: number) => Promise<RateDecision>): Promise<readonly RateDecision[]> {
  return Promise.all(Array.from({ length: callers }, (_, i) => patiently(() => ask(i))));
}

/** Settles; a settlement that met others, and was not written, is tried again. */
async function settle(
  rates: RateAdmission,
  { lease }: RateDecision & { readonly allowed: true },
  tokens: number,
): Promise<void> {
  const isOpen = (): boolean => lease.state === "open";
  for (let attempt = 1; isOpen(); attempt += 1)
    try {
      await rates.settleRate(lease, tokens);
    } catch (error) {
      if (!isOpen() || attempt === 200) throw error;
    }
}
