/** Oldest first; of one age in the order of their ids. */
export function byAge<Row extends { readonly id: string; readonly createdAt: number }>(
  rows: Iterable<Row>,
): Row[] {
  return [...rows].sort((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1));
}
