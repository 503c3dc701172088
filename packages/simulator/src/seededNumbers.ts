/**
 * Numbers in [0, 1) that depend on the text alone: FNV-1a picks the start, mulberry32 (Tommy Ettinger, public domain) walks on.
 *
 * @example
 * const next = seededNumbers("42");
 * next() === seededNumbers("42")(); // true
 */
export function seededNumbers(text: string): () => number {
  let state = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(text)) state = Math.imul(state ^ byte, 0x01000193) >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
