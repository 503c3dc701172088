import type { RateDimension, RateLimit, RatePlanNode } from "./ratePlan.js";

/** One number that rate admission keeps of a node, in one dimension and one minute. */
export interface RateCell {
  readonly nodeId: string;
  readonly dimension: RateDimension;
  /**
   * `used` is U(i). `given` is D(i): what the node had to give beyond what was held below it,
   * U(i) − Σ min(L(x), U(x)) over x in F(i). Where F(i) is empty the two are one, and only `used` is kept.
   */
  readonly counts: "used" | "given";
}

/** A node's line on a sheet: where its numbers stand among the sheet's cells. */
export interface RateLine {
  readonly node: RatePlanNode;
  readonly used: number;
  readonly fixed: FixedRateLine | undefined;
}

export interface FixedRateLine {
  readonly limit: number;
  /** S(i). */
  readonly limitsBelow: number;
  /** Where D(i) stands; the same cell as U(i) where nothing is held below. */
  readonly given: number;
  /** Where D of the nearest fixed node above stands. */
  readonly givenAbove: number | undefined;
  /** The nearest fixed node below that is on the sheet: on a path, the one whose own share never blocks it. */
  readonly below: { readonly limit: number; readonly used: number } | undefined;
}

/** Which numbers a charge to some nodes reads and changes, and where each stands. Made once per path by {@link layOutRates}. */
export interface RateSheet {
  readonly cells: readonly RateCell[];
  readonly rpm: readonly RateLine[];
  readonly tpm: readonly RateLine[];
}

/**
 * Lays out the numbers of some nodes of a plan: of a path (at most two per node and dimension, however wide the tree), of a whole
 * plan, or of whatever an older path left in a newer plan.
 *
 * @example
 * const planted = plantRatePlan({
 *   nodes: [
 *     { id: "acme", kind: "organisation", rpm: 10 },
 *     { id: "key-a", kind: "key", rpm: 2, parent: "acme" },
 *   ],
 *   path: ["key-a", "acme"],
 * });
 * const cells = planted.ok ? layOutRates(planted.plan.path).cells : [];
 * cells.map(({ nodeId, counts }) => nodeId + " " + counts); // ["key-a used", "key-a used", "acme used", "acme given", "acme used"]
 */
export function layOutRates(nodes: readonly RatePlanNode[]): RateSheet {
  const cells: RateCell[] = [];
  const at = { rpm: new Map<string, number>(), tpm: new Map<string, number>() };
  const cell = (nodeId: string, dimension: RateDimension, counts: RateCell["counts"]): number =>
    cells.push({ nodeId, dimension, counts }) - 1;
  const used = nodes.map(({ id, rpm, tpm }) => {
    const places = { rpm: cell(id, "rpm", "used"), tpm: 0 };
    if (holdsForOthers(rpm)) at.rpm.set(id, cell(id, "rpm", "given"));
    places.tpm = cell(id, "tpm", "used");
    if (holdsForOthers(tpm)) at.tpm.set(id, cell(id, "tpm", "given"));
    return places;
  });

  function linesIn(dimension: RateDimension): readonly RateLine[] {
    const below = new Map<string, { readonly limit: number; readonly used: number }>();
    return nodes.map((node, i) => {
      const usedAt = used[i]![dimension];
      const fixed = node[dimension];
      if (fixed === undefined) return { node, used: usedAt, fixed };
      const { limit, limitsBelow, fixedAbove } = fixed;
      const line = {
        limit,
        limitsBelow,
        given: at[dimension].get(node.id) ?? usedAt,
        givenAbove: fixedAbove === undefined ? undefined : givenOf(fixedAbove, dimension),
        below: below.get(node.id),
      };
      if (fixedAbove !== undefined) below.set(fixedAbove, { limit, used: usedAt });
      return { node, used: usedAt, fixed: line };
    });
  }

  /** A node above that is not on the sheet itself still has to know what is carried off it. */
  function givenOf(nodeId: string, dimension: RateDimension): number {
    const known = at[dimension].get(nodeId);
    if (known !== undefined) return known;
    const made = cell(nodeId, dimension, "given");
    at[dimension].set(nodeId, made);
    return made;
  }

  return { rpm: linesIn("rpm"), tpm: linesIn("tpm"), cells };
}

function holdsForOthers(fixed: RateLimit | undefined): boolean {
  return fixed !== undefined && fixed.fixedBelow.length > 0;
}
