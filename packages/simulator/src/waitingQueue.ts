/** Requests of one key that were refused and wait, first come, first served. */
export interface WaitingQueue {
  readonly size: number;
  /** @param isNoted whether its refusal was noted already. */
  add(isNoted: boolean): void;
  /** Notes the first one's refusal; whether it had not been noted. */
  note(): boolean;
  /** The first one has passed. */
  shift(): void;
  clear(): void;
}

/** Makes an empty queue. All that is known of a request is whether it was noted, so the queue keeps no objects. */
export function createWaitingQueue(): WaitingQueue {
  let noted: boolean[] = [];
  let first = 0;
  return {
    get size() {
      return noted.length - first;
    },
    add(isNoted) {
      noted.push(isNoted);
    },
    note() {
      const isNew = noted[first] === false;
      noted[first] = true;
      return isNew;
    },
    shift() {
      first += 1;
      if (first === noted.length) {
        noted = [];
        first = 0;
      }
    },
    clear() {
      noted = [];
      first = 0;
    },
  };
}
