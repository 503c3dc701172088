import { grains, toGrains, type Grains } from "./grains.js";
import { GRAINS_PER_UNIT, UNITS, type Unit } from "./units.js";

/** What a request costs, in units. What is left out is not known: `requests` is then 1. */
export interface Amounts {
  readonly requests?: number | undefined;
  readonly tokens?: number | undefined;
  readonly usd?: number | undefined;
  /** Percent of the provider's window, 0 to 100. */
  readonly percent?: number | undefined;
}

/** {@link Amounts} in grains; undefined where nothing is known. */
export type AmountsInGrains = Readonly<Record<Unit, Grains | undefined>>;

/**
 * Turns what a request really cost into grains.
 *
 * @throws {InvalidAmountError} naming the member, for anything that cannot be counted exactly.
 * @example
 * amountsInGrains({ tokens: 1200, usd: 0.0042 }, "actual"); // { requests: undefined, tokens: 1200, usd: 4_200_000, percent: undefined }
 */
export function amountsInGrains(amounts: Amounts, field: string): AmountsInGrains {
  return convert(amounts, field, toGrains);
}

/**
 * Turns an estimate into grains. Estimates may be fractional (averages are); they are rounded up to the next grain.
 *
 * @throws {InvalidAmountError} as {@link amountsInGrains} does, fractions excepted.
 */
export function estimateInGrains(estimate: Amounts, field: string): AmountsInGrains {
  return convert(estimate, field, (unit, amount, member) =>
    GRAINS_PER_UNIT[unit] === 1 && typeof amount === "number" && amount > 0
      ? grains(Math.ceil(amount), member)
      : toGrains(unit, amount, member),
  );
}

function convert(
  amounts: Amounts,
  field: string,
  toWhole: (unit: Unit, amount: unknown, member: string) => Grains,
): AmountsInGrains {
  const converted: Record<Unit, Grains | undefined> = {
    percent: undefined,
    requests: undefined,
    tokens: undefined,
    usd: undefined,
  };
  for (const unit of UNITS)
    if (amounts[unit] !== undefined) converted[unit] = toWhole(unit, amounts[unit], `${field}.${unit}`);
  return converted;
}
