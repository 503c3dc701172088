/** A decimal number, perhaps with an exponent; NaN for whatever else JavaScript would take for a number (hexadecimal, blanks, Infinity). */
export function decimalIn(text: string): number {
  const { length } = text;
  if (length === 0 || length > 40) return NaN;
  for (let i = 0; i < length; i += 1) {
    const code = text.charCodeAt(i);
    // 0 to 9, "+", "-", ".", "E" and "e"
    const known =
      (code >= 48 && code <= 57) || code === 46 || code === 45 || code === 43 || code === 69 || code === 101;
    if (!known) return NaN;
  }
  return Number(text);
}
