/**
 * The weight, as one would type it, that shares 100 percent equally among this many keys: rounded down, so that they never sum to more.
 * It has as many decimals as leave at most a tenth of a percent to nobody, and two at least.
 *
 * @example
 * equalSplit(3); // "33.33"
 */
export function equalSplit(keys: number): string {
  if (keys === 0) return "";
  const decimals = Math.max(2, Math.ceil(Math.log10(keys)) + 1);
  const scale = 10 ** decimals;
  const digits = String(Math.floor((100 * scale) / keys)).padStart(decimals + 1, "0");
  return `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`.replace(/\.?0+$/u, "");
}
