/** An amount that cannot be counted: not a number, not finite, negative, finer than its grain or too large to be exact. */
export class InvalidAmountError extends RangeError {
  readonly code = "invalid-amount";
  /** The name of the argument or member that held the amount. */
  readonly field: string;

  constructor(field: string, value: unknown, remedy: string) {
    super(`${field}: ${printable(value)} is not an amount; ${remedy}`);
    this.name = "InvalidAmountError";
    this.field = field;
  }
}

function printable(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value.length > 40 ? `${value.slice(0, 40)}…` : value);
  return typeof value === "number" || typeof value === "boolean" || value == null
    ? String(value)
    : typeof value;
}
