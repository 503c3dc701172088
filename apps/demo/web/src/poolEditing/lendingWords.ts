/** Whether and how much a key lends, in words. The limit as it is to be shown, with its percent sign; empty: none. */
export function lendingWords(lends: boolean, limit: string): string {
  if (!lends) return "does not lend";
  return limit === "" ? "lends all" : `lends up to ${limit}`;
}

/** {@link lendingWords} of what it borrows. */
export function borrowingWords(limit: string): string {
  return limit === "" ? "borrows freely" : `borrows up to ${limit}`;
}

/** A limit as it was typed, for the words above. */
export function typedLimit(typed: string): string {
  return typed.trim() === "" ? "" : `${typed.trim().replace(/\s*%$/u, "")} %`;
}
