import { useCallback, useState } from "react";
import type { RateBranch } from "./rateTree.js";

export interface OpenBranches {
  isOpen(branch: RateBranch): boolean;
  toggle(rowKey: string): void;
}

/** Which branches are open. It is settled when a branch is first seen: what is read later opens and closes nothing. */
export function useOpenBranches(tree: readonly RateBranch[]): OpenBranches {
  const [open, setOpen] = useState<ReadonlyMap<string, boolean>>(new Map());
  const all = withThoseBelow(tree);
  const unseen = all.filter(({ key, children }) => children.length > 0 && !open.has(key));
  // What there is little of is open from the start; who has much opens what they look for.
  if (unseen.length > 0)
    setOpen(
      new Map([
        ...open,
        ...unseen.map(
          ({ key, children }) => [key, all.length <= FEW || children.length <= FEW_BELOW] as const,
        ),
      ]),
    );
  const toggle = useCallback(
    (rowKey: string) => setOpen((before) => new Map([...before, [rowKey, before.get(rowKey) !== true]])),
    [],
  );
  return { isOpen: ({ key }) => open.get(key) === true, toggle };
}

/** Of all lines: so many may be open together. */
const FEW = 40;
/** Of the lines of one branch. */
const FEW_BELOW = 12;

function withThoseBelow(branches: readonly RateBranch[]): readonly RateBranch[] {
  return branches.flatMap((branch) => [branch, ...withThoseBelow(branch.children)]);
}
