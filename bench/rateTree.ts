import {
  checkRatePlan,
  plantRatePlan,
  ratePathFrom,
  type RatePath,
  type RatePlan,
  type RatePlanNodeInput,
  type RateUsage,
} from "@quota/core";
import { createRateAdmission, type Counter, type UsageStore } from "@quota/engine";
import { atOnce, processorTime } from "./clocks.js";
import { inTurns } from "./inTurns.js";
import type { Measurement } from "./measurement.js";

const CALLS = 512;
const WIDTH = 16;
/** So many callers are active, in a tree of any size. */
const ACTIVE = 5;
const TOKENS = 900;

/**
 * What an admission by a rate plan costs in trees of four levels (organisation, teams, users, keys), all limited in both dimensions: ten
 * nodes, ten thousand, and a thousand beside a walk of all of them.
 *
 * @param open makes an empty store for each name.
 */
export async function compareRateTrees(
  where: string,
  open: (name: string) => Promise<UsageStore>,
): Promise<readonly Measurement[]> {
  const medians = await inTurns(
    {
      ten: asking(await open("ten"), tree(2, 2, 5)),
      tenThousand: asking(await open("tenThousand"), tree(20, 200, 9779)),
      thousand: asking(await open("thousand"), tree(10, 50, 939)),
    },
    { rounds: 30, warmUps: 10 },
  );
  const walk = await inTurns(
    { walking: walking(await open("walking"), tree(10, 50, 939)) },
    { rounds: 5, warmUps: 1 },
  );
  const guarantee =
    "requests and tokens, 4 limited levels, reservations held, atomic; counters of the path alone";
  const work = "admitRatePlan, 4 levels";
  return [
    {
      work: `${work}, 10 000 nodes, ${where}`,
      unit: "µs",
      ours: { name: "10 000 nodes", value: medians.tenThousand, guarantee },
      peer: { name: "10 nodes of the same depth", value: medians.ten, guarantee },
      target: { of: "ratio", atMost: 1.3 },
    },
    {
      work: `a walk of all 1000 nodes, ${where}`,
      unit: "µs",
      ours: {
        name: "walk",
        value: walk.walking,
        guarantee: "the same answer and store: every node's use is read, and the definition asked",
      },
      peer: { name: "admitRatePlan, 1000 nodes", value: medians.thousand, guarantee },
      target: { of: "ratio", atLeast: 20 },
    },
  ];
}

/** A plan, and the paths of the callers that are active. */
interface Tree {
  readonly plan: RatePlan;
  readonly paths: readonly RatePath[];
}

/** One organisation over so many teams, users and keys; no limit that a bench could use up. */
function tree(teams: number, users: number, keys: number): Tree {
  const level = (kind: string, many: number, above: (i: number) => string | null): RatePlanNodeInput[] =>
    Array.from({ length: many }, (_, i) => ({
      id: `${kind}_01J9ZK4W6M${String(i).padStart(8, "0")}`,
      kind,
      rpm: 1e12 / many,
      tpm: 1e15 / many,
      parent: above(i),
    })).map((node) => ({ ...node, rpm: Math.floor(node.rpm), tpm: Math.floor(node.tpm) }));
  const organisations = level("organisation", 1, () => null);
  const below = (nodes: readonly RatePlanNodeInput[]) => (i: number) => nodes[i % nodes.length]!.id;
  const teamNodes = level("team", teams, below(organisations));
  const userNodes = level("user", users, below(teamNodes));
  const keyNodes = level("key", keys, below(userNodes));
  const planted = plantRatePlan({ nodes: [...organisations, ...teamNodes, ...userNodes, ...keyNodes] });
  if (!planted.ok) throw new Error(planted.faults.map(({ message }) => message).join(" "));
  return {
    plan: planted.plan,
    paths: keyNodes.slice(0, ACTIVE).map(({ id }) => ratePathFrom(planted.plan, id)),
  };
}

/** Microseconds of processor time per admission. */
function asking(store: UsageStore, { plan, paths }: Tree): () => Promise<number> {
  const rates = createRateAdmission({ store });
  const requests = paths.map((path) => ({ id: "everybody", revision: 1, plan, path }));
  return () =>
    processorTime(CALLS, (calls) =>
      atOnce(WIDTH, calls, async (i) => {
        const decision = await rates.admitRatePlan(requests[i % requests.length]!, TOKENS);
        if (!decision.allowed) throw new Error(`The request was refused: ${decision.reason}.`);
      }),
    );
}

/** The same admission as a walk: one atomic step that reads every node. */
function walking(store: UsageStore, { plan, paths }: Tree): () => Promise<number> {
  const ids = [...plan.nodes.keys()];
  const countersAt = (minute: number): readonly Counter[] =>
    ids.flatMap((id) =>
      ["rpm", "tpm"].map((dimension) => ({
        id: `${id}|${dimension}`,
        bucket: minute,
        expiresAt: (minute + 2) * 60_000,
      })),
    );
  const admit = (path: RatePath, now: number): Promise<boolean> =>
    store.transact({
      ledger: "walk",
      counters: countersAt(Math.floor(now / 60_000)),
      now,
      decide(amounts) {
        const usage = new Map<string, RateUsage>(
          ids.map((id, i) => [id, { requests: amounts[2 * i]!, tokens: amounts[2 * i + 1]! }]),
        );
        const answer = checkRatePlan({ plan, path, usage, estimate: TOKENS });
        const charges = new Map(
          answer.allowed ? answer.charges.map((charge) => [charge.nodeId, charge]) : [],
        );
        const additions = ids.flatMap((id) => [charges.get(id)?.requests ?? 0, charges.get(id)?.tokens ?? 0]);
        return { result: answer.allowed, additions };
      },
    });
  return () =>
    processorTime(64, (calls) =>
      atOnce(WIDTH, calls, async (i) => {
        if (!(await admit(paths[i % paths.length]!, Date.now()))) throw new Error("The request was refused.");
      }),
    );
}
