import type { Policy } from "./allocation.js";
import type { Dimension } from "./dimension.js";
import type { OutsideUse, Signal } from "./outsideUse.js";
import type { LendingRule } from "./lending.js";
import type { Use } from "./reading.js";
import type { ReserveQuestion } from "./reserveQuestion.js";
import type { EpochMs } from "./units.js";

/** What a request asks of a pool, in every dimension. */
export interface FairShareQuestion {
  readonly policy: Policy;
  /** 0 to 1; at or above this part of the limit, shares bind. Default 0.5. */
  readonly saturationThreshold?: number | undefined;
  /** How idle shares are lent (default `"threshold"`). */
  readonly lending?: LendingRule | undefined;
  readonly dimensions: readonly DimensionQuestion[];
}

/** What a request asks of one dimension. Amounts are grains. */
export interface DimensionQuestion {
  readonly dimension: Pick<Dimension, "name" | "unit" | "window" | "limit">;
  /** This key's use, settled and held. A plain number is settled and never fades. */
  readonly used: Use;
  /** Everybody's use, settled and held, this key's included. */
  readonly total: Use;
  /** What the request is estimated to add; 0 where that cannot be known. */
  readonly cost: number;
  /** Not looked at where the limit is unknown. */
  readonly share?: number | undefined;
  readonly cap?: number | undefined;
  /** The most that the key may use by its borrowing limit, whatever the rule and policy. */
  readonly most?: number | undefined;
  /** What is held for keys that have not used their shares, where the rule is `reserve` and the limit is known. */
  readonly reserve?: ReserveQuestion | undefined;
  /** The provider's own view of how full the window is, if there is one. No reading is `undefined`, never 0. */
  readonly signal?: Signal | undefined;
  /** What the provider saw beyond our count, where that is worked out already; `signal` is not looked at then. */
  readonly outside?: OutsideUse | undefined;
  /** When the window ends, where it is a fixed one. Only told again in the answer. */
  readonly resetsAt?: EpochMs | undefined;
}
