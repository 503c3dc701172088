/**
 * What each key would get of a limit if everybody's demand were known: weighted max-min fairness. Nobody gets more than it asks for, and
 * nobody could get more without someone who has no more, for its weight, getting less. Water-filling, in O(n log n): whoever needs least
 * for its weight is served first, and what it leaves is shared out among the others by weight.
 *
 * Keys of weight 0 get what all others leave, in equal parts; if every weight is 0, all are equal. What comes back may be fractional.
 *
 * @example
 * maxMin({ demands: [10, 80, 80], weights: [1, 1, 2], limit: 100 }); // [10, 30, 60]
 */
export function maxMin({
  demands,
  weights,
  limit,
}: {
  readonly demands: ArrayLike<number>;
  readonly weights: ArrayLike<number>;
  readonly limit: number;
}): Float64Array {
  const allotted = new Float64Array(demands.length);
  const keys = Array.from({ length: demands.length }, (_, i) => i);
  const weightOf = (i: number): number => weights[i] ?? 0;
  const left = pour(
    keys.filter((i) => weightOf(i) > 0),
    { demands, weightOf, allotted },
    limit,
  );
  pour(
    keys.filter((i) => weightOf(i) === 0),
    { demands, weightOf: () => 1, allotted },
    left,
  );
  return allotted;
}

/** What is left of the limit when these keys have got their part. */
function pour(
  keys: readonly number[],
  {
    demands,
    weightOf,
    allotted,
  }: {
    readonly demands: ArrayLike<number>;
    readonly weightOf: (key: number) => number;
    readonly allotted: Float64Array;
  },
  limit: number,
): number {
  let left = limit;
  let weight = keys.reduce((sum, i) => sum + weightOf(i), 0);
  for (const i of keys.toSorted((a, b) => demands[a]! / weightOf(a) - demands[b]! / weightOf(b))) {
    const part = Math.min(demands[i]!, (left * weightOf(i)) / weight);
    allotted[i] = part;
    left -= part;
    weight -= weightOf(i);
  }
  return Math.max(0, left);
}
