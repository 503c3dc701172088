import {
  plantRatePlan,
  ratePathFrom,
  type RatePath,
  type RatePlan,
  type RatePlanNodeInput,
} from "@quota/core";

/** So many callers are active, in a tree of any size. */
const ACTIVE = 5;

/** A plan, and the paths of the callers that are active. */
export interface RateTree {
  readonly plan: RatePlan;
  readonly paths: readonly RatePath[];
}

export interface RateTreeShape {
  readonly teams: number;
  readonly users: number;
  readonly keys: number;
  /** Which levels have limits: all four, or the organisation and the keys, so that its check looks at every key. */
  readonly limited: "every level" | "both ends";
}

/** One organisation over so many teams, users and keys; no limit that a bench could use up. */
export function growRateTree({ teams, users, keys, limited }: RateTreeShape): RateTree {
  const organisations = level({ kind: "organisation", many: 1 }, []);
  const middle = { limited: limited === "every level" };
  const teamNodes = level({ kind: "team", many: teams, ...middle }, organisations);
  const userNodes = level({ kind: "user", many: users, ...middle }, teamNodes);
  const keyNodes = level({ kind: "key", many: keys }, userNodes);
  const planted = plantRatePlan({ nodes: [...organisations, ...teamNodes, ...userNodes, ...keyNodes] });
  if (!planted.ok) throw new Error(planted.faults.map(({ message }) => message).join(" "));
  const { plan } = planted;
  return { plan, paths: keyNodes.slice(0, ACTIVE).map(({ id }) => ratePathFrom(plan, id)) };
}

interface Level {
  readonly kind: string;
  readonly many: number;
  readonly limited?: boolean;
}

function level(
  { kind, many, limited = true }: Level,
  above: readonly RatePlanNodeInput[],
): RatePlanNodeInput[] {
  const limits = limited ? { rpm: Math.floor(1e12 / many), tpm: Math.floor(1e15 / many) } : {};
  return Array.from({ length: many }, (_, i) => ({
    id: `${kind}_01J9ZK4W6M${String(i).padStart(8, "0")}`,
    kind,
    ...limits,
    parent: above[i % above.length]?.id ?? null,
  }));
}
