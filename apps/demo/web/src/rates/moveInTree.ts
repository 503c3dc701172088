import type { VisibleRate } from "./visibleRates.js";

/** What a pressed key does in the tree grid. */
export interface TreeMove {
  /** The line that gets the focus. */
  readonly focus?: string;
  /** The focus goes into the line, to its first limit. */
  readonly isInto?: boolean;
  /** The branch that opens or closes. */
  readonly toggle?: string;
}

/** As in the ARIA practices' tree grid: up and down between lines, right opens and enters, left closes or goes to the parent. Undefined: the key is not for the tree. */
export function moveInTree({
  lines,
  line,
  pressed,
  isOnLine,
}: {
  readonly lines: readonly VisibleRate[];
  readonly line: number;
  readonly pressed: string;
  /** Whether the line itself has the focus, and not something in it. */
  readonly isOnLine: boolean;
}): TreeMove | undefined {
  const { branch, isOpen, parent } = lines[line]!;
  if (!isOnLine) return pressed === "Escape" ? { focus: branch.key } : undefined;
  const to = (index: number): TreeMove => ({
    focus: lines[Math.min(Math.max(index, 0), lines.length - 1)]!.branch.key,
  });
  switch (pressed) {
    case "ArrowDown":
      return to(line + 1);
    case "ArrowUp":
      return to(line - 1);
    case "Home":
      return to(0);
    case "End":
      return to(lines.length - 1);
    case "ArrowRight":
      if (isOpen === false) return { focus: branch.key, toggle: branch.key };
      return isOpen === true ? to(line + 1) : { focus: branch.key, isInto: true };
    case "ArrowLeft":
      if (isOpen === true) return { focus: branch.key, toggle: branch.key };
      return parent === undefined ? { focus: branch.key } : { focus: parent };
    case "Enter":
      return { focus: branch.key, isInto: true };
    case " ":
      return isOpen === undefined ? { focus: branch.key } : { focus: branch.key, toggle: branch.key };
    default:
      return undefined;
  }
}
