/**
 * Estimates how many tokens a text of so many UTF-8 bytes has: one per four bytes, rounded up. Right for English prose within some
 * 15 %, high for Cyrillic, low for dense code; settled answers correct it per key and model (see `createEstimates`).
 */
export function tokensInText(utf8Bytes: number): number {
  return Math.ceil(utf8Bytes / 4);
}
