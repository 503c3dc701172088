import { ratePathFrom } from "@quota/core";
import type { RateAdmission, RevisedRatePlan } from "@quota/engine";
import { expect } from "vitest";
import type { Check } from "./check.js";
import {
  admitted,
  by,
  handClock,
  inWords,
  MINUTE_START,
  patiently,
  ratesOver,
  revised,
} from "./rateSteps.js";
import { withNeighbour } from "./steps.js";
import type { UsageStoreUnderTest } from "./usageStoreUnderTest.js";

const org = { id: "org", kind: "organisation" };
const team = { id: "team", kind: "team", parent: "org" };
const a = { id: "a", kind: "key", parent: "team" };
const b = { id: "b", kind: "key", parent: "org" };

const OLD = revised([{ ...org, rpm: 10 }, team, { ...a, rpm: 2 }, b], 1);
/** The team has a limit now, and the key none; four more are kept for the team. */
const NEW = revised([{ ...org, rpm: 10 }, { ...team, rpm: 6 }, a, b], 2);

/** What rate admission promises while processes hold different revisions of a plan. */
export const rateAdmissionRevisions: readonly Check<UsageStoreUnderTest>[] = [
  {
    name: "a process that meets a newer revision loads it first, and charges under it",
    async run(subject) {
      await withNeighbour(subject, async (neighbour) => {
        const loads: string[] = [];
        const old = ratesOver(subject.store, {
          async loadPlan(id, revision) {
            loads.push(`${id} ${String(revision)}`);
            return NEW;
          },
        });
        const fresh = ratesOver(neighbour);
        // a may 2 of the org's 10 under the old plan.
        expect(await admitted(3, () => old.admitRatePlan(by("a", OLD), 1))).toBe(2);
        expect(await admitted(1, () => fresh.admitRatePlan(by("a", NEW), 1))).toBe(1);
        // The team has used 3 of its 6; 3 are kept for it, and 4 are left to b.
        expect(await admitted(9, () => old.admitRatePlan(by("b", OLD), 1))).toBe(4);
        expect(await admitted(9, () => old.admitRatePlan(by("a", OLD), 1))).toBe(3);
        expect(await admitted(9, () => fresh.admitRatePlan(by("b", NEW), 1))).toBe(0);
        expect(loads).toEqual(["everybody 2"]);
        await expectDefinition([old, fresh], NEW);
      });
    },
  },
  {
    name: "the first admission under a newer revision makes what each node gave what the uses say",
    async run({ store }) {
      const rates = ratesOver(store);
      const shared = revised([{ ...org, rpm: 10 }, team, a, b], 1);
      expect(await admitted(3, () => rates.admitRatePlan(by("a", shared), 1))).toBe(3);
      expect(await admitted(2, () => rates.admitRatePlan(by("b", shared), 1))).toBe(2);
      // 3 of the team's 4 were used before it had a limit: 1 is kept for it, and 4 are left.
      const limited = revised([{ ...org, rpm: 10 }, { ...team, rpm: 4 }, { ...a, rpm: 4 }, b], 5);
      expect((await rates.rateUsage(by("b", limited))).nodes.at(-1)?.requests).toEqual({
        limit: 10,
        used: 5,
        heldForChildren: 1,
        left: 4,
      });
      expect(await admitted(9, () => rates.admitRatePlan(by("b", limited), 1))).toBe(4);
      expect(await admitted(9, () => rates.admitRatePlan(by("a", limited), 1))).toBe(1);
      await expectDefinition([rates], limited);
    },
  },
  {
    name: "a change of a plan of three thousand nodes, in a running minute, is rebuilt by one of fifty callers",
    async run({ store }) {
      const steps: number[] = [];
      const rates = ratesOver({
        ...store,
        transact: (step) => {
          steps.push(step.counters.length);
          return store.transact(step);
        },
      });
      const crowd = Array.from({ length: 3000 }, (_, i) => ({ ...b, id: `key ${String(i)}`, tpm: 7 }));
      const before = revised([{ ...org, tpm: 30_000 }, ...crowd], 1);
      const after = revised([{ ...org, tpm: 21_010 }, b, ...crowd], 2);
      expect(await admitted(3, () => rates.admitRatePlan(by("key 5", before), 2))).toBe(3);
      steps.length = 0;
      const fifty = await Promise.all(
        Array.from({ length: 50 }, () => patiently(() => rates.admitRatePlan(by("b", after), 1))),
      );
      // What is kept for the keys is theirs: 10 are left.
      expect(fifty.filter(({ allowed }) => allowed)).toHaveLength(10);
      expect(steps.filter((counters) => counters > 3000)).toHaveLength(1);
      expect(await admitted(2, () => rates.admitRatePlan(by("key 5", after), 1))).toBe(1);
    },
  },
  {
    name: "a newer revision that refuses is in force at once for whoever holds the older",
    async run(subject) {
      await withNeighbour(subject, async (neighbour) => {
        const closed = revised([{ ...org, rpm: 0 }, team, a, b], 2);
        const old = ratesOver(subject.store, { loadPlan: async () => closed });
        expect(await admitted(1, () => old.admitRatePlan(by("a", OLD), 1))).toBe(1);
        expect(await admitted(1, () => ratesOver(neighbour).admitRatePlan(by("a", closed), 1))).toBe(0);
        expect(inWords(await old.admitRatePlan(by("a", OLD), 1))).toMatch(/^rate-limit-rpm org/);
      });
    },
  },
  {
    name: "where the newer plan cannot be had, nobody passes under the older, in any later minute",
    async run(subject) {
      await withNeighbour(subject, async (neighbour) => {
        const clock = handClock();
        const gone = new Error("the database is away");
        const stale = [
          ratesOver(subject.store, { clock }),
          ratesOver(subject.store, { clock, loadPlan: async () => OLD }),
          ratesOver(subject.store, { clock, loadPlan: () => Promise.reject(gone) }),
        ];
        expect(await admitted(1, () => ratesOver(neighbour).admitRatePlan(by("b", NEW), 1))).toBe(1);
        for (const at of [clock.at, MINUTE_START + 3_600_000]) {
          clock.at = at;
          for (const rates of stale)
            await expect(rates.admitRatePlan(by("b", OLD), 1)).rejects.toMatchObject({
              name: "RatesUnavailableError",
              applied: "no",
            });
        }
        await expect(stale[2]!.admitRatePlan(by("b", OLD), 1)).rejects.toMatchObject({ cause: gone });
        // The caller that hands in the newer plan by itself is served again.
        expect(await admitted(1, () => stale[0]!.admitRatePlan(by("b", NEW), 1))).toBe(1);
      });
    },
  },
  {
    name: "a node that the newer plan does not have any more passes nowhere",
    async run({ store }) {
      const without = revised([{ ...org, rpm: 10 }, b], 2);
      const rates = ratesOver(store, { loadPlan: async () => without });
      expect(await admitted(1, () => rates.admitRatePlan(by("a", OLD), 1))).toBe(1);
      expect(await admitted(1, () => rates.admitRatePlan(by("b", without), 1))).toBe(1);
      await expect(rates.admitRatePlan(by("a", OLD), 1)).rejects.toMatchObject({ code: "unknown-rate-node" });
    },
  },
  {
    name: "a lease of an older revision is settled where it was charged, and every sum stays true",
    async run(subject) {
      await withNeighbour(subject, async (neighbour) => {
        const before = revised([{ ...org, tpm: 100 }, { ...team, tpm: 50 }, { ...a, tpm: 20 }, b], 1);
        // The key has moved out of the team.
        const moved = revised(
          [{ ...org, tpm: 100 }, { ...team, tpm: 50 }, { ...a, tpm: 20, parent: "org" }, b],
          2,
        );
        const [old, fresh] = [
          ratesOver(subject.store, { loadPlan: async () => moved }),
          ratesOver(neighbour),
        ];
        const decisions = [
          await old.admitRatePlan(by("a", before), 10),
          await old.admitRatePlan(by("a", before), 8),
          await old.admitRatePlan(by("a", before), 2),
        ];
        expect(await admitted(1, () => fresh.admitRatePlan(by("b", moved), 1))).toBe(1);
        const [first, second, third] = decisions.map((decision) => {
          if (!decision.allowed) throw new Error(inWords(decision));
          return decision.lease;
        });
        await old.settleRate(first!, 4);
        await old.settleRate(second!, 30);
        await old.releaseRate(third!);
        expect(await usesIn(fresh, moved)).toEqual([
          ["org", 35],
          ["team", 34],
          ["a", 34],
          ["b", 1],
        ]);
        await expectDefinition([old, fresh], moved);
      });
    },
  },
];

async function usesIn(rates: RateAdmission, plan: RevisedRatePlan): Promise<(readonly [string, number])[]> {
  return Promise.all(
    [...plan.plan.nodes.keys()].map(async (id) => {
      const usage = await rates.rateUsage({ ...plan, path: ratePathFrom(plan.plan, id) });
      return [id, usage.nodes[0]!.tokens.used] as const;
    }),
  );
}

/** Whoever looks, what is held for the children of each node is the sum of what each of them has left. */
export async function expectDefinition(
  admissions: readonly RateAdmission[],
  revised: RevisedRatePlan,
): Promise<void> {
  for (const rates of admissions) {
    const nodes = await Promise.all(
      [...revised.plan.nodes.keys()].map(async (id) => {
        const usage = await rates.rateUsage({ ...revised, path: ratePathFrom(revised.plan, id) });
        return [id, usage.nodes[0]!] as const;
      }),
    );
    const tree = await rates.rateTreeUsage(revised);
    expect(tree).toMatchObject({ revision: revised.revision, nodes: nodes.map(([, node]) => node) });
    const byId = new Map(nodes);
    for (const node of revised.plan.nodes.values())
      for (const [dimension, member] of [
        ["rpm", "requests"],
        ["tpm", "tokens"],
      ] as const) {
        const fixed = node[dimension];
        if (fixed === undefined) continue;
        const held = fixed.fixedBelow.reduce(
          (sum, { id, limit }) => sum + Math.max(0, limit - byId.get(id)![member].used),
          0,
        );
        expect(byId.get(node.id)?.[member].heldForChildren, `${dimension} held at ${node.id}`).toBe(held);
      }
  }
}
