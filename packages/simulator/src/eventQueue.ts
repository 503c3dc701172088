/** What is to happen, by time; of one time, what was put in first. */
export interface EventQueue {
  readonly size: number;
  /** The time of the next event; `Infinity` where there is none. */
  readonly nextAt: number;
  push(at: number, event: number): void;
  /** The next event, taken out; undefined where there is none. */
  pop(): number | undefined;
}

/**
 * A binary heap of events that are numbers, so that a simulation makes no objects for what happens in it.
 *
 * @example
 * const queue = createEventQueue();
 * queue.push(20, 1);
 * queue.push(10, 2);
 * queue.pop(); // 2
 */
export function createEventQueue(): EventQueue {
  const times: number[] = [];
  const turns: number[] = [];
  const events: number[] = [];
  let pushed = 0;

  function isBefore(a: number, b: number): boolean {
    return times[a]! < times[b]! || (times[a] === times[b] && turns[a]! < turns[b]!);
  }

  function swap(a: number, b: number): void {
    for (const column of [times, turns, events]) [column[a], column[b]] = [column[b]!, column[a]!];
  }

  return {
    get size() {
      return times.length;
    },
    get nextAt() {
      return times[0] ?? Infinity;
    },
    push(at, event) {
      let i = times.length;
      times.push(at);
      turns.push((pushed += 1));
      events.push(event);
      while (i > 0) {
        const parent = (i - 1) >> 1;
        if (!isBefore(i, parent)) break;
        swap(i, parent);
        i = parent;
      }
    },
    pop() {
      const first = events[0];
      const last = times.length - 1;
      if (last < 0) return undefined;
      swap(0, last);
      times.pop();
      turns.pop();
      events.pop();
      for (let i = 0; ;) {
        const left = 2 * i + 1;
        if (left >= last) break;
        const child = left + 1 < last && isBefore(left + 1, left) ? left + 1 : left;
        if (!isBefore(child, i)) break;
        swap(child, i);
        i = child;
      }
      return first;
    },
  };
}
