import { InvalidAmountError } from "./invalidAmountError.js";
import type { RateDimension, RatePath, RatePlan } from "./ratePlan.js";

/** What a node has used in the current UTC minute, in whole requests and tokens. */
export interface RateUsage {
  readonly requests: number;
  readonly tokens: number;
}

export interface RateQuestion {
  readonly plan: RatePlan;
  /** The caller's path in a plan that serves many, from {@link ratePathFrom}; without it, the plan's own. */
  readonly path?: RatePath;
  /** Use by node id, of the path's nodes and of every `fixedBelow` of theirs; a Map will do. A node it does not know has used nothing. */
  readonly usage: { get(nodeId: string): RateUsage | undefined };
  /** Tokens the request is expected to take; less than 0 counts as 0, a fraction as the next whole token. */
  readonly estimate: number;
}

/** What one node's counters rise by. */
export interface RateCharge {
  readonly nodeId: string;
  readonly requests: number;
  readonly tokens: number;
}

/** The first node, from leaf to root, that had no room: `used + heldForChildren + requested > limit`, or the limit is 0. */
export interface RateRefusal {
  readonly node: { readonly id: string; readonly kind: string };
  readonly dimension: RateDimension;
  readonly limit: number;
  readonly used: number;
  /** What fixed nodes below, off the path, have not used of their limits this minute. */
  readonly heldForChildren: number;
  readonly requested: number;
}

export type RateAnswer =
  | { readonly allowed: true; readonly charges: readonly RateCharge[] }
  | { readonly allowed: false; readonly refusal: RateRefusal };

/**
 * Asks whether a request fits into every limit on its path, and what it is then to be charged. Pure: it counts nothing
 * itself, and a refusal has nothing to charge.
 *
 * Requests are checked first (1 more), then tokens (`estimate` more), each from the leaf to the root. A fixed node i
 * refuses when
 *
 *     L(i) = 0   or   U(i) + Σ max(0, L(x) − U(x)) + δ > L(i)      over x in F(i), x not on the path
 *
 * so a fixed child's unused share is kept for it whatever its siblings do, and its own share never blocks itself. To
 * fill a limit exactly passes. A shared node never refuses, but is charged like the others; an empty path passes.
 *
 * This is the definition: it looks at every node in F(i), so it costs the width of the tree below the path.
 *
 * @throws {InvalidAmountError} when the estimate is NaN, infinite, no number, or past 2^53 − 1.
 * @example
 * const planted = plantRatePlan({
 *   nodes: [
 *     { id: "acme", kind: "organisation", rpm: 10 },
 *     { id: "key-a", kind: "key", rpm: 2, parent: "acme" },
 *     { id: "key-b", kind: "key", parent: "acme" },
 *   ],
 *   path: ["key-b", "acme"],
 * });
 * const usage = new Map([["acme", { requests: 8, tokens: 0 }]]);
 * const answer = planted.ok && checkRatePlan({ plan: planted.plan, usage, estimate: 500 });
 * // { allowed: false, refusal: { node: { id: "acme", kind: "organisation" }, dimension: "rpm",
 * //   limit: 10, used: 8, heldForChildren: 2, requested: 1 } }
 */
export function checkRatePlan({ plan, path = plan.path, usage, estimate }: RateQuestion): RateAnswer {
  const tokens = wholeTokens(estimate);
  const refusal =
    firstRefusal(path, { dimension: "rpm", requested: 1, used: (id) => usage.get(id)?.requests ?? 0 }) ??
    firstRefusal(path, { dimension: "tpm", requested: tokens, used: (id) => usage.get(id)?.tokens ?? 0 });
  if (refusal !== undefined) return { allowed: false, refusal };
  return { allowed: true, charges: path.map(({ id }) => ({ nodeId: id, requests: 1, tokens })) };
}

/**
 * A refusal in the words that gateways use, for an error body or a log.
 *
 * @example
 * rateRefusalText({
 *   node: { id: "acme", kind: "organisation" },
 *   dimension: "rpm",
 *   limit: 10,
 *   used: 8,
 *   heldForChildren: 2,
 *   requested: 1,
 * }); // "organisation rpm_limit"
 */
export function rateRefusalText(refusal: RateRefusal): string {
  return `${refusal.node.kind} ${refusal.dimension}_limit`;
}

/**
 * Charges are stored, and only whole numbers are: the next whole token answers no differently, since everything else in
 * the comparison is whole.
 */
function wholeTokens(estimate: unknown): number {
  if (typeof estimate !== "number" || Number.isNaN(estimate) || Math.abs(estimate) > Number.MAX_SAFE_INTEGER)
    throw new InvalidAmountError(
      "estimate",
      estimate,
      "give the tokens the request may take, at most 9007199254740991.",
    );
  return Math.ceil(Math.max(0, estimate));
}

interface RateCheck {
  readonly dimension: RateDimension;
  readonly requested: number;
  readonly used: (nodeId: string) => number;
}

function firstRefusal(path: RatePath, { dimension, requested, used }: RateCheck): RateRefusal | undefined {
  /** The nearest fixed node below on the path: the only one in F(i) that the path can contain. */
  let own: string | undefined;
  for (const { id, kind, [dimension]: fixed } of path) {
    if (fixed === undefined) continue;
    let heldForChildren = 0;
    for (const child of fixed.fixedBelow)
      if (child.id !== own) heldForChildren += Math.max(0, child.limit - used(child.id));
    const { limit } = fixed;
    const fits = limit > 0 && used(id) + heldForChildren + requested <= limit;
    if (!fits) return { node: { id, kind }, dimension, limit, used: used(id), heldForChildren, requested };
    own = id;
  }
  return undefined;
}
