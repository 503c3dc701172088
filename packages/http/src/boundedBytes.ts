/** A growing run of bytes that never holds more than its limit: what would pass it is given up, not truncated. */
export interface BoundedBytes {
  /** Copies `chunk[from, to)` in. False, and everything forgotten, once the limit would be passed (until `clear`). */
  append(chunk: Uint8Array, from: number, to: number): boolean;
  /** How many bytes are held; 0 after an overflow. */
  size(): number;
  /** True from the append that did not fit until `clear`. */
  overflown(): boolean;
  /** A view of what is held, valid until the next `append` or `clear`. */
  view(): Uint8Array;
  clear(): void;
}

export function boundedBytes(limit: number): BoundedBytes {
  // Most answers come in one chunk, and nothing of them is ever held.
  let bytes = NONE;
  let length = 0;
  let over = false;

  return {
    append(chunk, from, to) {
      const needed = length + (to - from);
      if (over || needed > limit) {
        over = true;
        length = 0;
        return false;
      }
      if (needed > bytes.length) {
        const larger = new Uint8Array(Math.min(limit, Math.max(needed, bytes.length * 2, 256)));
        larger.set(bytes.subarray(0, length));
        bytes = larger;
      }
      // A loop beats `set` for the few bytes that a split chunk usually leaves behind.
      if (to - from < 16) for (let i = from; i < to; i++) bytes[length++] = chunk[i]!;
      else {
        bytes.set(chunk.subarray(from, to), length);
        length = needed;
      }
      return true;
    },
    size: () => length,
    overflown: () => over,
    view: () => bytes.subarray(0, length),
    clear() {
      length = 0;
      over = false;
    },
  };
}

const NONE = new Uint8Array(0);
