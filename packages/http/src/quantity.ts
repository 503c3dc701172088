import { fromGrains, type Unit } from "@quota/core";

/** An amount in grains for people to read: `412 000`, `37.5`, `1.2345`. Rounded down, so that nobody is told of more than there is. */
export function quantity(unit: Unit, grains: number): string {
  const decimals = DECIMALS[unit];
  const scale = 10 ** decimals;
  // Floored after rounding at a finer place: 0.29 USD times 10 000 is 2899.9999999999995.
  const whole = Math.floor(Number((Math.max(0, fromGrains(unit, grains)) * scale).toFixed(6)));
  const integral = Math.floor(whole / scale);
  const fraction = String(whole - integral * scale)
    .padStart(decimals, "0")
    .replace(/0+$/, "");
  const grouped = String(integral).replace(/\B(?=(?:\d{3})+$)/g, " ");
  return fraction === "" ? grouped : `${grouped}.${fraction}`;
}

/** How many decimals are worth reading. */
const DECIMALS: Readonly<Record<Unit, number>> = { percent: 2, requests: 0, tokens: 0, usd: 4 };
