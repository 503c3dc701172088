/** A weight in the reader's locale, to the decimals that it has: `33.33 %` where the whole percents of `ui/formats` would hide what is left over. */
export function weightText(percent: number): string {
  return format.format(percent / 100);
}

const format = new Intl.NumberFormat(undefined, { style: "percent", maximumFractionDigits: 6 });
