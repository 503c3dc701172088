import type { PlayedWindow } from "./played.js";

/** The books of the window that is being played. */
export interface WindowBook {
  /** What was let in, all keys together. */
  readonly total: number;
  arrived(key: number): void;
  admitted(key: number): void;
  hasShare(key: number, share: number): void;
  /** What it came to; the books are empty again. */
  close(besides: Pick<PlayedWindow, "weights" | "outside">): PlayedWindow;
}

/** Makes empty books. */
export function createWindowBook(keys: number): WindowBook {
  const zeros = (): number[] => new Array<number>(keys).fill(0);
  let demands = zeros();
  let admitted = zeros();
  let shares = zeros();
  let total = 0;
  return {
    get total() {
      return total;
    },
    arrived(key) {
      demands[key]! += 1;
    },
    admitted(key) {
      admitted[key]! += 1;
      total += 1;
    },
    hasShare(key, share) {
      shares[key] = share;
    },
    close(besides) {
      const closed = { demands, admitted, shares, ...besides };
      demands = zeros();
      admitted = zeros();
      shares = zeros();
      total = 0;
      return closed;
    },
  };
}
