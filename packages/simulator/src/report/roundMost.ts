/** Where an axis ends that must show this value: the next 1, 2, 4, 6 or 8 of a power of ten, which four lines cut evenly. */
export function roundMost(value: number): number {
  const unit = 10 ** Math.floor(Math.log10(Math.max(value, 1e-9)));
  const factor = [1, 2, 4, 6, 8, 10].find((each) => each * unit >= value * (1 - 1e-9)) ?? 10;
  return Number((factor * unit).toPrecision(6));
}
