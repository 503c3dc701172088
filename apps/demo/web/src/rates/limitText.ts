/** A limit as it is typed: digits alone, or `none`. */
export function limitText(limit: number | null): string {
  return limit === null ? "none" : String(limit);
}
