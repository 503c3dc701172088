import { InvalidAmountError } from "./invalidAmountError.js";
import { GRAINS_PER_UNIT, type Unit } from "./units.js";

/** A whole number of a unit's grain, from 0 to 2^53 − 1. Made by {@link grains} and {@link toGrains} alone. */
export type Grains = number;

/**
 * The one gate through which a number becomes a stored amount.
 *
 * @throws {InvalidAmountError} for anything but a whole number from 0 to 2^53 − 1 (`true`, `"0.1"`, NaN, −1, 0.5, 1e308 …).
 * @example
 * grains(1500, "cost.requests"); // 1500
 */
export function grains(value: unknown, field: string): Grains {
  if (typeof value !== "number" || !Number.isSafeInteger(value) || value < 0)
    throw new InvalidAmountError(field, value, "give a whole number from 0 to 9007199254740991.");
  return value === 0 ? 0 : value; // −0 is stored as 0
}

/**
 * Turns an amount in units (0.25 USD, 33.3 percent, 12 tokens) into grains. Percent and USD are rounded to the nearest
 * grain, so that 0.7 USD is exactly 700 000 000 nano-dollars; requests and tokens must be whole already.
 *
 * @throws {InvalidAmountError} for NaN, infinities, negatives, non-numbers, fractions of a request or token, and amounts past 2^53 grains.
 * @example
 * toGrains("usd", 0.7, "estimate.usd"); // 700_000_000
 */
export function toGrains(unit: Unit, amount: unknown, field: string): Grains {
  const perUnit = GRAINS_PER_UNIT[unit];
  if (perUnit === 1) return grains(amount, field);
  if (typeof amount !== "number" || !(amount >= 0) || amount > Number.MAX_SAFE_INTEGER / perUnit)
    throw new InvalidAmountError(
      field,
      amount,
      `give a number of ${unit} from 0 to ${String(Math.floor(Number.MAX_SAFE_INTEGER / perUnit))}.`,
    );
  return grains(Math.round(amount * perUnit), field);
}

/**
 * The amount in units that a number of grains stands for, for people and for JSON. Takes window readings too, which may
 * be fractional or negative.
 *
 * @example
 * fromGrains("percent", 33_300_000); // 33.3
 */
export function fromGrains(unit: Unit, amount: number): number {
  return amount / GRAINS_PER_UNIT[unit];
}
