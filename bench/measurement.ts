/** One row of the table: a piece of work, what it took on each side, and what each side promises while it takes that. */
export interface Measurement {
  readonly work: string;
  readonly unit: "µs" | "ms" | "per second" | "bytes" | "granted";
  readonly ours: Figure;
  /** Undefined where a number stands for itself. */
  readonly peer?: Figure;
  /** Undefined: stated, without a promise. */
  readonly target?: Target;
}

/** A number is worth what is guaranteed for it, so the two are never apart. */
export interface Figure {
  readonly name: string;
  readonly value: number;
  readonly guarantee: string;
}

/** What must hold of `ours / peer`, of `ours − peer`, or of `ours` alone. */
export interface Target {
  readonly of: "ratio" | "difference" | "value";
  readonly atMost?: number;
  readonly atLeast?: number;
}

/** The number that a target speaks of. */
export function judged({ ours, peer, target }: Measurement): number | undefined {
  if (target?.of === "value") return ours.value;
  if (peer === undefined) return undefined;
  return target?.of === "difference" ? ours.value - peer.value : ours.value / peer.value;
}

/** Whether the target is met; undefined where there is none. */
export function isMet(measurement: Measurement): boolean | undefined {
  const { target } = measurement;
  const value = judged(measurement);
  if (target === undefined || value === undefined) return undefined;
  return value <= (target.atMost ?? Infinity) && value >= (target.atLeast ?? -Infinity);
}
