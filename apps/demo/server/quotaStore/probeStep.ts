import type { Step } from "@quota/engine";

/** Counts one in a counter that nobody reads: a store that answers questions and takes no writes does not work. */
export function probeStep(now: number): Step<void> {
  const bucket = Math.floor(now / 60_000);
  return {
    ledger: "health",
    counters: [{ id: "steps", bucket, expiresAt: (bucket + 2) * 60_000 }],
    now,
    decide: () => ({ result: undefined, additions: [1], holdsUpTo: [Infinity] }),
  };
}
