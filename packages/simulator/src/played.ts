/** What became of a workload under one rule. */
export interface Played {
  readonly windows: readonly PlayedWindow[];
  /** How often the engine was asked, and how often it refused. */
  readonly asks: number;
  readonly refusals: number;
  /** Requests that were refused, once or more, although their key had not used up its share. */
  readonly refusedInside: number;
  readonly retries: RetryCheck;
  /** For every key, how much was let in during each of a hundred equal parts of the whole time. */
  readonly course: readonly (readonly number[])[];
}

/** Into how many parts a course is cut. */
export const COURSE_PARTS = 100;

/** What became of one window. Lists are aligned with the workload's keys; amounts are requests. */
export interface PlayedWindow {
  readonly demands: readonly number[];
  readonly admitted: readonly number[];
  /** As the engine had them when it was last asked for the key; 0 where it never was. */
  readonly shares: readonly number[];
  /** As they were when the window ended. */
  readonly weights: readonly number[];
  /** What the account's owner used of it. */
  readonly outside: number;
}

/** Sampled refusals, looked at from later on, as if nobody had acted since. */
export interface RetryCheck {
  readonly checked: number;
  /** Those that would have passed 1 ms before their `retryAt`. */
  readonly early: number;
  /** Those that would not have passed at it. */
  readonly late: number;
}
