import type { EpochMs, Unit } from "../units.js";
import type { WindowName } from "../window.js";

/** What a provider said of one limit of an account, at one moment. */
export interface ProviderReading {
  readonly provider: string;
  readonly unit: Unit;
  /**
   * The window that the limit holds for. A word that is not one of `WINDOWS` (`"7d_sonnet"`, `"1m"`) is the provider's own
   * window, shown and never merged into a plan's; `null`: the provider names none.
   */
  readonly window: WindowName | (string & {}) | null;
  /** How full the window is: 0 to 1, and above where the provider lets an account go on. Always finite, never negative. */
  readonly utilization: number;
  /** What the window grants, in units. Absent: not said, or not a limit (0). */
  readonly limit?: number;
  /** What is left of it, in units: 0 up to `limit`. */
  readonly remaining?: number;
  /** When the window starts anew: after `receivedAt`, and never further away than the window is long. Absent: not said. */
  readonly resetsAt?: EpochMs;
  /** What the limit is for, where it is not the whole account: a model, a feature, an overage. Never merged into a plan's. */
  readonly scope?: string;
  readonly receivedAt: EpochMs;
  /** Where it was read: a header's name (`"x-codex-primary-used-percent"`) or a member's path in a body. */
  readonly source: string;
}
