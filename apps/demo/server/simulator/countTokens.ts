/** The simulator's tokenizer: four bytes of UTF-8 are a token, the last one may be shorter. Deterministic, unlike a real one. */
export function countTokens(text: string): number {
  return tokensOfBytes(Buffer.byteLength(text));
}

export function tokensOfBytes(bytes: number): number {
  return Math.ceil(bytes / bytesPerToken);
}

export const bytesPerToken = 4;
