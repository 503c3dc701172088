/** What one client sends in one slot of ten minutes; slots that are missing were idle. */
export interface TraceSlot {
  readonly client: string;
  /** Counted from the beginning. */
  readonly slot: number;
  readonly requestsPerSecond: number;
  /** The coefficient of variation of the gaps between its requests: 1 is a Poisson process, more comes in bursts. */
  readonly gapCv: number;
}

/** Who sends how much, and when: the shape of a traffic, whatever its size. */
export type Trace = readonly TraceSlot[];

/** How long a slot is. */
export const SLOT_MS = 600_000;
