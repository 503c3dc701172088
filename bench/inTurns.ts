/** Measures one round of a contender; answers a number whose median is worth knowing. */
export type Round = () => number | Promise<number>;

/**
 * Lets contenders run in turns (A B A B …) for many short rounds and answers each one's median: whatever else the
 * machine does meets all of them alike.
 *
 * @param options.warmUps rounds of each that are run first and not counted, until the code is compiled.
 */
export async function inTurns<Name extends string>(
  contenders: Readonly<Record<Name, Round>>,
  { rounds, warmUps = 5 }: { readonly rounds: number; readonly warmUps?: number },
): Promise<Record<Name, number>> {
  const names = Object.keys(contenders) as Name[];
  const samples = new Map<Name, number[]>(names.map((name) => [name, []]));
  for (let round = -warmUps; round < rounds; round += 1)
    // Every other round backwards, so that nobody always runs in the wake of the same neighbour.
    for (const name of round % 2 === 0 ? names : names.toReversed()) {
      const sample = await contenders[name]();
      if (round >= 0) samples.get(name)?.push(sample);
    }
  return Object.fromEntries(names.map((name) => [name, median(samples.get(name) ?? [])])) as Record<
    Name,
    number
  >;
}

/** The middle of some numbers. */
function median(samples: readonly number[]): number {
  return percentile(samples, 0.5);
}

/** The number below which this part of the samples lies. */
export function percentile(samples: readonly number[], part: number): number {
  const sorted = samples.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? NaN;
}
