/**
 * Estimates how many tokens a text of so many UTF-8 bytes has: one per four bytes, rounded up. A rule of thumb, not a tokenizer: it differs
 * with language and model, and settled answers correct it per key and model (see `createEstimates`).
 */
export function tokensInText(utf8Bytes: number): number {
  return Math.ceil(utf8Bytes / 4);
}
