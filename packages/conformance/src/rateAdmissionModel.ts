import { checkRatePlan, ratePathFrom, type RatePlanNodeInput, type RateUsage } from "@quota/core";
import type { RateAdmission, RateLease, RevisedRatePlan, UsageStore } from "@quota/engine";
import fc from "fast-check";
import { expect } from "vitest";
import type { Check } from "./check.js";
import { expectDefinition } from "./rateAdmissionRevisions.js";
import { by, handClock, patiently, ratesOver, revised } from "./rateSteps.js";
import { withNeighbour } from "./steps.js";
import type { UsageStoreUnderTest } from "./usageStoreUnderTest.js";

/** Rate admission by random histories, each compared with the definition on the uses of the whole tree. */
export const rateAdmissionModel: readonly Check<UsageStoreUnderTest>[] = [
  {
    name: "random histories over two processes, of requests, settlements, minutes and revisions, agree with the definition",
    async run(subject) {
      let histories = 0;
      await withNeighbour(subject, async (neighbour) => {
        const property = fc.asyncProperty(
          fc.array(forestArbitrary, { minLength: 1, maxLength: 3 }),
          fc.array(eventArbitrary, { maxLength: 30 }),
          async (forests, events) => {
            histories += 1;
            const id = `history ${String(histories)}`;
            const plans = forests.map((nodes, revision) => revised(nodes, revision, id));
            await follow(events, { plans, stores: [subject.store, neighbour] });
          },
        );
        await fc.assert(property, { numRuns: 60 });
      });
    },
  },
];

const IDS = ["{org}", "team|a", "team", "key a", "__proto__", "key:b"];

const limitArbitrary = fc.option(fc.nat({ max: 6 }), { nil: undefined, freq: 2 });

/** Six nodes, each below one before it or a root; shared nodes, zeros and promises beyond what there is included. */
const forestArbitrary: fc.Arbitrary<readonly RatePlanNodeInput[]> = fc
  .tuple(
    ...IDS.map((id, i) =>
      fc.record({
        id: fc.constant(id),
        kind: fc.constant("node"),
        rpm: limitArbitrary,
        tpm: limitArbitrary,
        parent: i === 0 ? fc.constant(null) : fc.option(fc.constantFrom(...IDS.slice(0, i)), { freq: 5 }),
      }),
    ),
  )
  .map((nodes) => [...nodes]);

interface Event {
  readonly kind: "ask" | "settle" | "release" | "minute" | "revise";
  readonly handle: 0 | 1;
  readonly pick: number;
  readonly tokens: number;
}

const eventArbitrary: fc.Arbitrary<Event> = fc.record({
  kind: fc.constantFrom("ask", "ask", "ask", "ask", "settle", "settle", "release", "minute", "revise"),
  handle: fc.constantFrom<0 | 1>(0, 1),
  pick: fc.nat({ max: 100 }),
  tokens: fc.nat({ max: 4 }),
});

interface Process {
  readonly rates: RateAdmission;
  /** The plan as this process has it. */
  plan: RevisedRatePlan;
  /** The newest that it has asked by, or loaded. */
  knows: RevisedRatePlan;
}

interface Open {
  readonly lease: RateLease;
  readonly process: Process;
  readonly nodes: readonly string[];
  readonly minute: number;
}

async function follow(
  events: readonly Event[],
  world: { readonly plans: readonly RevisedRatePlan[]; readonly stores: readonly [UsageStore, UsageStore] },
): Promise<void> {
  const { plans, stores } = world;
  const clock = handClock();
  let newest = plans[0]!;
  /** The newest that was ever asked about: the ledger's own. */
  let known = newest;
  const processes = stores.map((store): Process => ({
    rates: ratesOver(store, { clock, loadPlan: async () => newest }),
    plan: newest,
    knows: newest,
  }));
  let uses = new Map<string, RateUsage>();
  const open: Open[] = [];

  const minute = (): number => Math.floor(clock.at / 60_000);
  const count = (nodes: readonly string[], requests: number, tokens: number): void => {
    for (const id of nodes) {
      const before = uses.get(id) ?? { requests: 0, tokens: 0 };
      uses.set(id, { requests: before.requests + requests, tokens: before.tokens + tokens });
    }
  };

  /** Whoever meets a newer plan than its own in the ledger loads the newest there is, and the ledger learns of that. */
  const meet = (process: Process): void => {
    if (process.knows.revision < known.revision) process.knows = newest;
    if (process.knows.revision > known.revision) known = process.knows;
  };

  for (const { kind, handle, pick, tokens } of events) {
    const process = processes[handle]!;
    switch (kind) {
      case "ask": {
        if (process.plan.revision > process.knows.revision) process.knows = process.plan;
        meet(process);
        const leaf = IDS[pick % IDS.length]!;
        const path = ratePathFrom(known.plan, leaf);
        const expected = checkRatePlan({ plan: known.plan, path, usage: uses, estimate: tokens });
        const decision = await patiently(() => process.rates.admitRatePlan(by(leaf, process.plan), tokens));
        expect(decision.allowed ? undefined : decision.refusal).toEqual(
          expected.allowed ? undefined : expected.refusal,
        );
        if (!decision.allowed) {
          const unused = checkRatePlan({ plan: known.plan, path, usage: new Map(), estimate: tokens });
          expect(decision.retryAt).toBe(unused.allowed ? (minute() + 1) * 60_000 : undefined);
          break;
        }
        const nodes = path.map(({ id }) => id);
        count(nodes, 1, tokens);
        open.push({ lease: decision.lease, process, nodes, minute: minute() });
        break;
      }
      case "settle":
      case "release": {
        const [ended] = open.splice(pick % Math.max(1, open.length), 1);
        if (ended === undefined) break;
        const { lease, nodes } = ended;
        const difference = 3 * tokens - lease.estimate;
        const isCurrent = ended.minute === minute();
        if (kind === "release") {
          await ended.process.rates.releaseRate(lease);
          if (!isCurrent) break;
          meet(ended.process);
          count(nodes, -1, -lease.estimate);
        } else {
          await ended.process.rates.settleRate(lease, 3 * tokens);
          if (difference === 0 || (difference < 0 && !isCurrent)) break;
          meet(ended.process);
          count(nodes, 0, difference);
        }
        break;
      }
      case "minute":
        clock.at += 20_000 * (1 + (pick % 3));
        if (minute() !== Math.floor((clock.at - 20_000 * (1 + (pick % 3))) / 60_000)) uses = new Map();
        break;
      case "revise": {
        const next = plans[Math.min(newest.revision + 1, plans.length - 1)]!;
        newest = next;
        process.plan = next;
      }
    }
  }

  if (newest.revision > known.revision) return;
  for (const { rates } of processes)
    for (const id of IDS) {
      const { nodes } = await rates.rateUsage(by(id, newest));
      const { requests, tokens } = nodes[0]!;
      expect({ requests: requests.used, tokens: tokens.used }).toEqual(
        uses.get(id) ?? { requests: 0, tokens: 0 },
      );
    }
  await expectDefinition([processes[0]!.rates], newest);
}
