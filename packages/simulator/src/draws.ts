import { seededNumbers } from "./seededNumbers.js";

/** Draws that depend on their seed alone. */
export interface Draws {
  /** From 0, and below 1. */
  uniform(): number;
  /** Mean 0, deviation 1. */
  normal(): number;
  lognormal(terms: { readonly median: number; readonly sigma: number }): number;
  /** Gamma distributed with mean 1 and this coefficient of variation; 0 is always 1, 1 is exponential. */
  gap(cv: number): number;
}

/**
 * Makes draws from a seed.
 *
 * @example
 * draws("7").gap(1); // the first gap of a Poisson process, the same every time
 */
export function draws(seed: string): Draws {
  const uniform = seededNumbers(seed);
  // Box and Muller's method.
  const normal = (): number => Math.sqrt(-2 * Math.log(1 - uniform())) * Math.cos(2 * Math.PI * uniform());
  return {
    uniform,
    normal,
    lognormal: ({ median, sigma }) => median * Math.exp(sigma * normal()),
    gap(cv) {
      if (cv === 0) return 1;
      if (cv === 1) return -Math.log(1 - uniform());
      const shape = 1 / (cv * cv);
      return gamma(shape, { uniform, normal }) / shape;
    },
  };
}

/** Marsaglia and Tsang, "A simple method for generating gamma variables" (2000), with scale 1. */
function gamma(shape: number, { uniform, normal }: Pick<Draws, "uniform" | "normal">): number {
  // A shape below 1 is one above, thinned out.
  if (shape < 1) return gamma(shape + 1, { uniform, normal }) * (1 - uniform()) ** (1 / shape);
  const d = shape - 1 / 3;
  const c = 1 / Math.sqrt(9 * d);
  for (;;) {
    const x = normal();
    const v = (1 + c * x) ** 3;
    if (v > 0 && Math.log(1 - uniform()) < 0.5 * x * x + d - d * v + d * Math.log(v)) return d * v;
  }
}
