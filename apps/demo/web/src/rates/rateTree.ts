import { rateNodeKey } from "./rateNodeKey.js";
import type { RateNode } from "./useRates.js";

/** A node with what belongs to it. */
export interface RateBranch {
  readonly key: string;
  /** Undefined: the keys that belong to nobody, together. */
  readonly node: RateNode | undefined;
  readonly children: readonly RateBranch[];
}

/** Organisations first, then teams of nobody, then the keys of nobody under a heading of their own. */
export function rateTree(nodes: readonly RateNode[]): readonly RateBranch[] {
  const known = new Set(nodes.map(rateNodeKey));
  const below = new Map<string, RateNode[]>();
  const roots: RateNode[] = [];
  for (const node of nodes) {
    const parent = node.parent === undefined ? undefined : rateNodeKey(node.parent);
    // A parent that was deleted a moment ago is none.
    if (parent === undefined || !known.has(parent)) roots.push(node);
    else below.set(parent, [...(below.get(parent) ?? []), node]);
  }
  const branch = (node: RateNode): RateBranch => {
    const key = rateNodeKey(node);
    return { key, node, children: (below.get(key) ?? []).toSorted(byKind).map(branch) };
  };
  const lone = roots.filter(({ kind }) => kind === "key");
  return [
    ...roots
      .filter(({ kind }) => kind !== "key")
      .toSorted(byKind)
      .map(branch),
    ...(lone.length === 0 ? [] : [{ key: KEYS_OF_NOBODY, node: undefined, children: lone.map(branch) }]),
  ];
}

/** No node has this key: those begin with a kind and a colon. */
const KEYS_OF_NOBODY = "nobody";

const KINDS = ["organisation", "team", "key"];

function byKind(a: RateNode, b: RateNode): number {
  return KINDS.indexOf(a.kind) - KINDS.indexOf(b.kind);
}
