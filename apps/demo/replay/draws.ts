import { seededNumbers } from "../server/simulator/seededNumbers.js";

/** Draws that depend on their seed alone. */
export interface Draws {
  /** From 0, and below 1. */
  uniform(): number;
  /** Mean 0, deviation 1. */
  normal(): number;
  lognormal(terms: { readonly median: number; readonly sigma: number }): number;
  /** Lognormal with mean 1 and this coefficient of variation. */
  gap(cv: number): number;
}

export function draws(seed: string): Draws {
  const uniform = seededNumbers(seed);
  // Box and Muller's method.
  const normal = (): number => Math.sqrt(-2 * Math.log(1 - uniform())) * Math.cos(2 * Math.PI * uniform());
  const lognormal: Draws["lognormal"] = ({ median, sigma }) => median * Math.exp(sigma * normal());
  return {
    uniform,
    normal,
    lognormal,
    gap(cv) {
      const variance = Math.log(1 + cv * cv);
      return lognormal({ median: Math.exp(-variance / 2), sigma: Math.sqrt(variance) });
    },
  };
}
