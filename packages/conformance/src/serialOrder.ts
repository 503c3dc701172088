/** A step that was carried out: what it was shown, and what it added, both aligned with the counters it named. */
export interface DoneStep {
  /** Which amounts of the whole it looked at, by position. */
  readonly positions: readonly number[];
  readonly shown: readonly number[];
  readonly additions: readonly number[];
}

/**
 * Whether the steps can have run one after the other, in some order: each was shown exactly what the ones before it left.
 * Searches the orders depth first, so keep it to a handful of steps.
 *
 * @returns the amounts that every such order ends with, or undefined when there is none.
 */
export function serialOrder(
  start: readonly number[],
  steps: readonly DoneStep[],
): readonly number[] | undefined {
  if (steps.length === 0) return start;
  for (const [i, step] of steps.entries()) {
    if (!step.positions.every((position, j) => start[position] === step.shown[j])) continue;
    const after = [...start];
    step.positions.forEach(
      (position, j) => (after[position] = (after[position] ?? 0) + (step.additions[j] ?? 0)),
    );
    const end = serialOrder(after, steps.toSpliced(i, 1));
    if (end !== undefined) return end;
  }
  return undefined;
}
