/** Which numbers a setting may be. */
export interface NumberRange {
  readonly least: number;
  readonly most: number;
  readonly whole?: boolean;
}

/** What is wrong with a value, as the end of a sentence that begins with its name; undefined for a number in range. */
export function rangeProblem(
  value: unknown,
  { least, most, whole = false }: NumberRange,
): string | undefined {
  const isInRange = typeof value === "number" && value >= least && value <= most;
  if (isInRange && (!whole || Number.isInteger(value))) return undefined;
  return `must be ${whole ? "a whole number" : "a number"} from ${least} to ${most}.`;
}
