import fc from "fast-check";
import type { RatePlanNodeInput } from "../src/readRatePlan.js";

/** Ids that a plain object, a separator or a key schema would trip over. */
const ODD_IDS = [
  "__proto__",
  "constructor",
  "toString",
  "a|b",
  "a:b",
  "{x}",
  " ",
  "ключ",
  "🔑",
  "0",
  "-1",
  "hasOwnProperty",
];

const limit = fc.option(
  fc.oneof({ weight: 1, arbitrary: fc.constant(0) }, { weight: 4, arbitrary: fc.nat({ max: 9 }) }),
  {
    nil: undefined,
    freq: 2,
  },
);

/** A forest of up to twelve nodes, in any order: shared nodes, zeros and over-committed parents included. */
export const forest: fc.Arbitrary<readonly RatePlanNodeInput[]> = fc
  .array(fc.record({ above: fc.nat(), root: fc.nat({ max: 5 }), rpm: limit, tpm: limit }), {
    minLength: 1,
    maxLength: ODD_IDS.length,
  })
  .chain((drafts) => {
    const nodes = drafts.map(({ above, root, rpm, tpm }, i) => ({
      id: ODD_IDS[i]!,
      kind: `kind ${String(i)}`,
      rpm,
      tpm,
      parent: i === 0 || root === 0 ? null : ODD_IDS[above % i]!,
    }));
    return fc.shuffledSubarray(nodes, { minLength: nodes.length });
  });

/** A forest in which no node's nearest fixed descendants have been promised more than the node has itself. */
export const keptPromises: fc.Arbitrary<readonly RatePlanNodeInput[]> = forest.map((nodes) => {
  const promised = (id: string, dimension: "rpm" | "tpm"): number =>
    nodes
      .filter((node) => node.parent === id)
      .map((node) => {
        const below = promised(node.id, dimension);
        const own = node[dimension];
        return typeof own === "number" ? own + below : below;
      })
      .reduce((sum, part) => sum + part, 0);
  const raised = (node: RatePlanNodeInput, dimension: "rpm" | "tpm"): number | undefined => {
    const own = node[dimension];
    return typeof own === "number" ? own + promised(node.id, dimension) : undefined;
  };
  return nodes.map((node) => ({ ...node, rpm: raised(node, "rpm"), tpm: raised(node, "tpm") }));
});

/** The ids from a node up to its root. */
export function climb(nodes: readonly RatePlanNodeInput[], leaf: string): string[] {
  const parent = nodes.find((node) => node.id === leaf)?.parent ?? undefined;
  return parent === undefined ? [leaf] : [leaf, ...climb(nodes, parent)];
}
