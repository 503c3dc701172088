import type { RatePath, RatePlan } from "@quota/core";
import { createRateAdmission, type UsageStore } from "@quota/engine";
import { atOnce } from "./clocks.js";
import { inTurns } from "./inTurns.js";
import type { Measurement } from "./measurement.js";
import { growRateTree, type RateTree } from "./rateTree.js";

const CALLS = 512;
const WIDTH = 16;
const TOKENS = 900;

/** Asks a whole tree, node by node, in one atomic step, and charges the path: whether it may pass. */
export type WalkRateTree = (
  path: RatePath,
  asked: { readonly estimate: number; readonly now: number },
) => Promise<boolean>;

/** Where admissions are compared, and how. */
export interface RateTreeSetting {
  readonly where: string;
  /** An empty store for each name. */
  readonly open: (name: string) => Promise<UsageStore>;
  /** The same admission as a walk, in a place that nobody else uses. */
  readonly walk: (plan: RatePlan) => Promise<WalkRateTree>;
  /** What the walk promises. */
  readonly walkGuarantee: string;
  /** Microseconds per call. */
  readonly measure: (calls: number, work: (calls: number) => Promise<unknown>) => Promise<number>;
}

/**
 * What an admission by a rate plan costs in trees of four levels (organisation, teams, users, keys): ten nodes and ten thousand, all
 * limited in both dimensions, and a thousand beside a walk of all of them. There the teams and users are counted without a limit: what
 * is kept for every key then bears on the organisation, and the definition cannot be asked without reading them all.
 */
export async function compareRateTrees(setting: RateTreeSetting): Promise<readonly Measurement[]> {
  const { where, open, walk, walkGuarantee, measure } = setting;
  const ten = growRateTree({ teams: 2, users: 2, keys: 5, limited: "every level" });
  const tenThousand = growRateTree({ teams: 20, users: 200, keys: 9779, limited: "every level" });
  const thousand = growRateTree({ teams: 10, users: 50, keys: 939, limited: "both ends" });

  const medians = await inTurns(
    {
      ten: asking(await open("ten"), ten, measure),
      tenThousand: asking(await open("tenThousand"), tenThousand, measure),
      thousand: asking(await open("thousand"), thousand, measure),
    },
    { rounds: 30, warmUps: 10 },
  );
  const walked = await inTurns(
    { walking: walking(await walk(thousand.plan), thousand, measure) },
    { rounds: 5, warmUps: 1 },
  );
  const held = "reservations held, atomic; counters of the path alone";
  const guarantee = `requests and tokens, 4 limited levels, ${held}`;
  return [
    {
      work: `admitRatePlan, 4 levels, 10 000 nodes, ${where}`,
      unit: "µs",
      ours: { name: "10 000 nodes", value: medians.tenThousand, guarantee },
      peer: { name: "10 nodes of the same depth", value: medians.ten, guarantee },
      target: { of: "ratio", atMost: 1.3 },
    },
    {
      work: `a walk of all 1000 nodes, ${where}`,
      unit: "µs",
      ours: { name: "walk", value: walked.walking, guarantee: walkGuarantee },
      peer: {
        name: "admitRatePlan, 1000 nodes",
        value: medians.thousand,
        guarantee: `requests and tokens, 4 levels, the top and the keys limited, ${held}`,
      },
      target: { of: "ratio", atLeast: 20 },
    },
  ];
}

function asking(
  store: UsageStore,
  { plan, paths }: RateTree,
  measure: RateTreeSetting["measure"],
): () => Promise<number> {
  const rates = createRateAdmission({ store });
  const requests = paths.map((path) => ({ id: "everybody", revision: 1, plan, path }));
  return () =>
    measure(CALLS, (calls) =>
      atOnce(WIDTH, calls, async (i) => {
        const decision = await rates.admitRatePlan(requests[i % requests.length]!, TOKENS);
        if (!decision.allowed) throw new Error(`The request was refused: ${decision.reason}.`);
      }),
    );
}

function walking(
  walk: WalkRateTree,
  { paths }: RateTree,
  measure: RateTreeSetting["measure"],
): () => Promise<number> {
  return () =>
    measure(64, (calls) =>
      atOnce(WIDTH, calls, async (i) => {
        if (!(await walk(paths[i % paths.length]!, { estimate: TOKENS, now: Date.now() })))
          throw new Error("The request was refused.");
      }),
    );
}
