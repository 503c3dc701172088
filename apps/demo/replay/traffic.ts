/** What one client sends in one slot of ten minutes; slots that are missing were idle. */
export interface TrafficSlot {
  readonly client: string;
  /** Counted from the beginning. */
  readonly slot: number;
  readonly requestsPerSecond: number;
  /** The coefficient of variation of the gaps between its requests. */
  readonly gapCv: number;
}

/** Who sends how much, and when: the shape of a traffic, whatever its size. */
export type Traffic = readonly TrafficSlot[];
