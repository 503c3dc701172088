import { wholeFault } from "@quota/core";
import { InvalidInputError } from "./invalidInputError.js";

/**
 * For ledgers of budgets: what is asked of them must be countable before it joins what others ask, which would fail with it.
 *
 * @param asked by the names of the members, all that is counted with.
 * @throws {InvalidInputError} naming each that is no whole number from 0 to 2^53 − 1; an amount may be `"unpriced"`.
 * @example
 * refuseUncountable({ amounts: { estimate: 1.5 }, moments: { now: 0 } }); // throws: estimate must be whole nano-dollars …
 */
export function refuseUncountable({
  amounts = {},
  moments = {},
}: {
  readonly amounts?: Readonly<Record<string, unknown>>;
  readonly moments?: Readonly<Record<string, unknown>>;
}): void {
  const faults = [
    ...Object.entries(amounts).map(([path, amount]) =>
      amount === "unpriced"
        ? undefined
        : wholeFault(amount, path, 'whole nano-dollars from 0 to 2^53 − 1, or "unpriced"'),
    ),
    ...Object.entries(moments).map(([path, at]) => wholeFault(at, path, "whole milliseconds since 1970")),
  ].filter((fault) => fault !== undefined);
  if (faults.length > 0) throw new InvalidInputError(faults);
}
