import { QuotaConfigError } from "@quota/core";

/**
 * The value of an option that is a number.
 *
 * @throws {QuotaConfigError} naming the option, where it is out of range.
 */
export function inRange(option: {
  readonly field: string;
  readonly value: number;
  readonly from: number;
  readonly to: number;
  readonly unit: string;
}): number {
  const { field, value, from, to, unit } = option;
  if (value >= from && value <= to) return value;
  throw new QuotaConfigError({
    code: "out-of-range",
    field,
    problem: `is ${String(value)}.`,
    remedy: `Give a number of ${unit} from ${String(from)} to ${String(to)}.`,
  });
}
