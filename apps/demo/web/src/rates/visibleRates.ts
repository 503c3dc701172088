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

/** The lines that can be seen, from the top: those of closed branches are left out. */
export function visibleRates(
  branches: readonly RateBranch[],
  isOpen: (branch: RateBranch) => boolean,
): readonly VisibleRate[] {
  const shown = (siblings: readonly RateBranch[], level: number, parent?: string): readonly VisibleRate[] =>
    siblings.flatMap((branch, i) => {
      const open = branch.children.length === 0 ? undefined : isOpen(branch);
      const line = { branch, level, position: i + 1, siblings: siblings.length, isOpen: open, parent };
      return open === true ? [line, ...shown(branch.children, level + 1, branch.key)] : [line];
    });
  return shown(branches, 1);
}
