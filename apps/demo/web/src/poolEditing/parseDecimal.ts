/**
 * A number as people type it, with a point or a comma before its decimals; undefined for anything else. A comma before exactly three
 * digits is taken for nothing: it means a thousand to some and a thousandth of it to others.
 *
 * @example
 * parseDecimal(" 33,33 % "); // 33.33
 */
export function parseDecimal(text: string): number | undefined {
  const bare = text.trim().replace(/\s*%$/u, "");
  if (/^\d+,\d{3}$/u.test(bare)) return undefined;
  const plain = bare.replace(/^([+-]?\d*),(\d+)$/u, "$1.$2");
  return /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/iu.test(plain) ? Number(plain) : undefined;
}
