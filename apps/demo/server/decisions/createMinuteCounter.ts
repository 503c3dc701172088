/** Counts what happened within the last so many minutes, the one that runs included, in as many numbers. */
export interface MinuteCounter {
  count(now: number): void;
  within(now: number): number;
}

/** @param minutes a whole number, 1 or more. */
export function createMinuteCounter(minutes: number): MinuteCounter {
  const buckets = Array.from({ length: minutes }, () => ({ minute: -1, counted: 0 }));
  return {
    count(now) {
      const minute = Math.floor(now / MINUTE_MS);
      const bucket = buckets[minute % minutes]!;
      if (bucket.minute !== minute) Object.assign(bucket, { minute, counted: 0 });
      bucket.counted += 1;
    },
    within(now) {
      const oldest = Math.floor(now / MINUTE_MS) - minutes + 1;
      return buckets.reduce((sum, { minute, counted }) => sum + (minute >= oldest ? counted : 0), 0);
    },
  };
}

const MINUTE_MS = 60_000;
