/**
 * An exact amount of US dollars in the reader's locale, in as many decimals as one reads: cents from a dollar on, and of less than a cent the first
 * digits that say something. It is not rounded to nothing.
 *
 * @example
 * dollarText("0.000001234"); // $0.0000012
 */
export function dollarText(exact: string): string {
  const size = Math.abs(Number(exact));
  const format = size >= 1 || size === 0 ? cents : size >= 0.01 ? fractions : crumbs;
  // A text is formatted to the last digit, which a number above 2^53 is not.
  return format.format(exact as `${number}`);
}

const cents = new Intl.NumberFormat(undefined, { style: "currency", currency: "USD" });
const fractions = new Intl.NumberFormat(undefined, {
  style: "currency",
  currency: "USD",
  maximumFractionDigits: 4,
});
const crumbs = new Intl.NumberFormat(undefined, {
  style: "currency",
  currency: "USD",
  maximumSignificantDigits: 2,
});
