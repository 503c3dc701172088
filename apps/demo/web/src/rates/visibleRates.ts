import type { RateBranch } from "./rateTree.js";

/** A line of the tree as it is shown. */
export interface VisibleRate {
  readonly branch: RateBranch;
  /** From 1. */
  readonly level: number;
  /** From 1, among its siblings. */
  readonly position: number;
  readonly siblings: number;
  /** Undefined: nothing belongs to it. */
  readonly isOpen: boolean | undefined;
  readonly parent: string | undefined;
}

/** The lines that can be seen, from the top: those of closed branches are left out, but for those that are kept and what leads to them. */
export function visibleRates(
  branches: readonly RateBranch[],
  isOpen: (branch: RateBranch) => boolean,
  isKept: (branch: RateBranch) => boolean,
): readonly VisibleRate[] {
  const shown = (siblings: readonly RateBranch[], above: Above): readonly VisibleRate[] =>
    siblings.flatMap((branch, i) => {
      const open = branch.children.length === 0 ? undefined : isOpen(branch);
      const { level, parent, isHidden } = above;
      const line = { branch, level, position: i + 1, siblings: siblings.length, isOpen: open, parent };
      const below = { level: level + 1, parent: branch.key, isHidden: isHidden || open === false };
      const lines = shown(branch.children, below);
      return isHidden && lines.length === 0 && !isKept(branch) ? [] : [line, ...lines];
    });
  return shown(branches, { level: 1, parent: undefined, isHidden: false });
}

interface Above {
  readonly level: number;
  readonly parent: string | undefined;
  /** Something above is closed. */
  readonly isHidden: boolean;
}
