/** The smallest number, from 0 or from another on, that is not in use. */
export function freeOrdinal(inUse: { has(ordinal: number): boolean }, from = 0): number {
  let ordinal = from;
  while (inUse.has(ordinal)) ordinal += 1;
  return ordinal;
}
