/**
 * Nano-dollars as dollars, in decimals and to the last one: `12.5`, `0.000001234`, `0`.
 *
 * @example
 * usdText(12_500_000_000n); // "12.5"
 */
export function usdText(nanos: bigint | number): string {
  const amount = BigInt(nanos);
  const sign = amount < 0n ? "-" : "";
  const digits = (amount < 0n ? -amount : amount).toString().padStart(10, "0");
  const fraction = digits.slice(-9).replace(/0+$/, "");
  return `${sign}${digits.slice(0, -9)}${fraction === "" ? "" : `.${fraction}`}`;
}
