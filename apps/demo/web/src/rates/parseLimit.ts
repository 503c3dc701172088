/** A limit per minute as somebody typed it; undefined: it is neither a whole number nor `none`. Nothing at all is `none`. */
export function parseLimit(text: string): number | null | undefined {
  const word = text.trim().toLowerCase();
  if (word === "" || word === "none") return null;
  // Between groups of digits as they are shown; what separates decimals is no part of a whole number.
  const digits = word.replaceAll(/[\s\u00a0\u202f_’']/gu, "");
  const limit = /^\d+$/u.test(digits) ? Number(digits) : Number.NaN;
  return Number.isSafeInteger(limit) ? limit : undefined;
}
