import { QuotaConfigError } from "./quotaConfigError.js";
import { readRatePlan, type RatePlanFault, type RatePlanInput, type RatePlanSeed } from "./readRatePlan.js";

/** What a rate plan limits: requests per UTC minute, or tokens per UTC minute. */
export type RateDimension = "rpm" | "tpm";

/** A node's limit in one dimension, and the limits next to it below and above. Whole numbers per minute. */
export interface RateLimit {
  readonly limit: number;
  /** The nearest node above that is fixed in this dimension. */
  readonly fixedAbove: string | undefined;
  /** F(i): the nearest fixed nodes below, reached without crossing another fixed one. What they have not used is held for them. */
  readonly fixedBelow: readonly { readonly id: string; readonly limit: number }[];
  /** S(i): the sum of the limits in `fixedBelow` (a double's rounding applies past 2^53 − 1). */
  readonly limitsBelow: number;
}

export interface RatePlanNode {
  readonly id: string;
  readonly kind: string;
  readonly parent: string | undefined;
  /** `undefined`: the node is *shared*, counted but never refused. */
  readonly rpm: RateLimit | undefined;
  readonly tpm: RateLimit | undefined;
}

/** A caller's nodes from its leaf to its root: made by {@link plantRatePlan} and {@link ratePathFrom} alone. */
export type RatePath = readonly RatePlanNode[];

/** A parsed forest, frozen and to be trusted: every parent exists, nothing goes round in a circle. */
export interface RatePlan {
  /** By id, in the order in which they were given. */
  readonly nodes: ReadonlyMap<string, RatePlanNode>;
  /** The path the plan was planted with; empty, so that everything passes, when there was none. */
  readonly path: RatePath;
}

export type PlantedRatePlan =
  | { readonly ok: true; readonly plan: RatePlan; readonly warnings: readonly RatePlanFault[] }
  | { readonly ok: false; readonly faults: readonly RatePlanFault[] };

/**
 * Parses a rate plan: a forest of nodes (organisation → team → user → API key), each with at most one limit of requests
 * (`rpm`) and one of tokens (`tpm`) per UTC minute. Takes time and memory linear in the nodes, however deep they nest.
 *
 * Everything that is wrong is listed at once: nodes (`not-a-list`, `not-a-node`), ids (`id-…`, `duplicate-id`), kinds
 * (`kind-missing`), limits that are not whole numbers from 0 to 2^53 − 1 (`bad-limit`), parents (`bad-parent`,
 * `unknown-parent`, `cycle`) and a path that is not a chain from a node up to its root (`unknown-path-node`,
 * `broken-path`, `unfinished-path`).
 *
 * A plan in which the limits in a node's F(i) add up to more than its own limit is legal, but under load it silently
 * shrinks the children (100 over 80 + 80 leaves 20 each): an `over-committed` warning.
 *
 * @example
 * const planted = plantRatePlan({
 *   nodes: [
 *     { id: "acme", kind: "organisation", rpm: 100 },
 *     { id: "key-a", kind: "key", rpm: 80, parent: "acme" },
 *     { id: "key-b", kind: "key", rpm: 80, parent: "acme" },
 *   ],
 *   path: ["key-a", "acme"],
 * });
 * planted.ok && planted.warnings.map((warning) => warning.code); // ["over-committed"]
 */
export function plantRatePlan(input: RatePlanInput): PlantedRatePlan {
  const { seeds, parentsFirst, path, faults } = readRatePlan(input);
  if (faults.length > 0) return { ok: false, faults };

  const limits = { rpm: relateLimits(parentsFirst, "rpm"), tpm: relateLimits(parentsFirst, "tpm") };
  const nodes = new Map<string, RatePlanNode>();
  const warnings: RatePlanFault[] = [];
  for (const { id, kind, parent, at } of seeds.values()) {
    const rpm = limits.rpm.get(id);
    const tpm = limits.tpm.get(id);
    nodes.set(id, Object.freeze({ id, kind, parent, rpm, tpm }));
    if (isOverCommitted(rpm)) warnings.push(overCommitment(id, { at, dimension: "rpm", limit: rpm }));
    if (isOverCommitted(tpm)) warnings.push(overCommitment(id, { at, dimension: "tpm", limit: tpm }));
  }
  const plan = Object.freeze({ nodes, path: Object.freeze(path.map((id) => nodes.get(id)!)) });
  return { ok: true, plan, warnings };
}

/**
 * The path of a caller in a plan that serves many: from its own node up to the root.
 *
 * @throws {QuotaConfigError} `unknown-rate-node` when the plan has no such node. Ask `plan.nodes.has(id)` first where that
 * can happen: an empty path would let everything pass.
 * @example
 * const planted = plantRatePlan({
 *   nodes: [
 *     { id: "acme", kind: "organisation", rpm: 100 },
 *     { id: "key-a", kind: "key", parent: "acme" },
 *   ],
 * });
 * planted.ok && ratePathFrom(planted.plan, "key-a").map((node) => node.id); // ["key-a", "acme"]
 */
export function ratePathFrom(plan: RatePlan, leafId: string): RatePath {
  const path: RatePlanNode[] = [];
  let id: string | undefined = leafId;
  while (id !== undefined) {
    const node = plan.nodes.get(id);
    if (node === undefined)
      throw new QuotaConfigError({
        code: "unknown-rate-node",
        field: "leafId",
        problem: `${JSON.stringify(leafId)} is no node of the rate plan.`,
        remedy: "Add it to the plan, or ask plan.nodes.has(id) first.",
      });
    path.push(node);
    id = node.parent;
  }
  return path;
}

/** The limits of one dimension, each with its neighbours. A node is in one F(i) at most, so all of them together stay linear. */
function relateLimits(
  parentsFirst: readonly RatePlanSeed[],
  dimension: RateDimension,
): ReadonlyMap<string, RateLimit> {
  interface Growing {
    readonly limit: number;
    readonly fixedAbove: string | undefined;
    readonly fixedBelow: { readonly id: string; readonly limit: number }[];
    limitsBelow: number;
  }
  const limits = new Map<string, Growing>();
  /** Per node: the nearest fixed node, itself included. */
  const nearestFixed = new Map<string, string | undefined>();
  for (const { id, parent, [dimension]: limit } of parentsFirst) {
    const fixedAbove = parent === undefined ? undefined : nearestFixed.get(parent);
    nearestFixed.set(id, limit === undefined ? fixedAbove : id);
    if (limit === undefined) continue;
    limits.set(id, { limit, fixedAbove, fixedBelow: [], limitsBelow: 0 });
    const holder = fixedAbove === undefined ? undefined : limits.get(fixedAbove);
    if (holder === undefined) continue;
    holder.fixedBelow.push(Object.freeze({ id, limit }));
    holder.limitsBelow += limit;
  }
  for (const limit of limits.values()) {
    Object.freeze(limit.fixedBelow);
    Object.freeze(limit);
  }
  return limits;
}

function isOverCommitted(limit: RateLimit | undefined): limit is RateLimit {
  return limit !== undefined && limit.limitsBelow > limit.limit;
}

function overCommitment(
  nodeId: string,
  {
    at,
    dimension,
    limit,
  }: { readonly at: string; readonly dimension: RateDimension; readonly limit: RateLimit },
): RatePlanFault {
  const { fixedBelow, limitsBelow } = limit;
  const path = `${at}.${dimension}`;
  return {
    path,
    code: "over-committed",
    nodeId,
    field: dimension,
    message:
      `${path} of ${JSON.stringify(nodeId)} is ${String(limit.limit)}, but the ${String(fixedBelow.length)} limits below it add up to ` +
      `${String(limitsBelow)}: under load they get less than they say; raise it to ${String(limitsBelow)}, or lower those.`,
  };
}
