import type { FixedWindow } from "./calendarWindow.js";
import type { Use } from "./reading.js";
import type { ReserveCurve } from "./reserveCurve.js";
import type { EpochMs } from "./units.js";

/** What must be known of a dimension's reserves to decide on a request. Amounts are grains. */
export interface ReserveQuestion {
  readonly curve: ReserveCurve;
  /** The fixed window that the request falls into. */
  readonly opens: EpochMs;
  readonly resets: EpochMs;
  /**
   * The window that follows one that ends then, where it is not as long as this one: a calendar's. `"first-use"`: it begins when somebody asks.
   */
  readonly following?: ((resets: EpochMs) => FixedWindow) | "first-use" | undefined;
  /** The part of the key's share that is never lent. */
  readonly kept: number;
  /** What the key's reserve has given up or spent: in the window, and of what is held for its requests in flight the part that came out of it. */
  readonly spent: Use;
  /**
   * Everybody's use less all that reserves have given up or spent, X = U − Σq, laid out alike. It is signed; where reserves have
   * decayed since they were written down it is too high, never too low.
   */
  readonly lent: Use;
  /** All keys' shares together. */
  readonly sharedOut: number;
  /** Every other key with a share, where all were looked at; undefined where `lent` must do. */
  readonly others?: readonly ReserveLine[] | undefined;
}

/** One key's reserve, as it was last written down. A plain number is settled in the window and ends with it. */
export interface ReserveLine {
  readonly share: number;
  readonly kept: number;
  readonly used: Use;
  readonly spent: Use;
}
