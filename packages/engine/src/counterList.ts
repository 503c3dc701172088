import type { Counter } from "./usageStore.js";

/** Counters, each of them once, and where each is. */
export function counterList(): {
  readonly counters: readonly Counter[];
  readonly place: (counter: Counter) => number;
} {
  const counters: Counter[] = [];
  const places = new Map<string, number>();
  return {
    counters,
    place(counter) {
      const name = `${String(counter.bucket)}|${counter.id}`;
      let at = places.get(name);
      if (at === undefined) {
        at = counters.push(counter) - 1;
        places.set(name, at);
      }
      return at;
    },
  };
}
