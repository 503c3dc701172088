import type { Bucket, EpochMs } from "@quota/core";
import type { RateLease, RevisedRatePlan } from "./rateAdmission.js";
import type { RateScopesSheet } from "./rateScopesSheet.js";
import type { LedgerId } from "./usageStore.js";

/** What an admitted request was charged to, and until when that counts. */
export type RateCharged = { readonly goneAt: EpochMs } & (
  | {
      readonly kind: "plan";
      readonly revised: RevisedRatePlan;
      readonly leafId: string;
      /** The path, as it was when it was charged. */
      readonly nodeIds: readonly string[];
    }
  | {
      readonly kind: "scopes";
      readonly ledger: LedgerId;
      readonly laidOut: RateScopesSheet;
      readonly bucket: Bucket;
    }
);

/** What rate admission knows of a lease. */
export interface HeldRateLease extends RateLease {
  state: RateLease["state"];
  /** Undefined where nothing was charged. */
  readonly charged: RateCharged | undefined;
  readonly book: object;
}

/** The leases of one rate admission. It keeps none of them: a lease that is forgotten costs nothing beyond its minute. */
export interface RateLeases {
  open(terms: Pick<RateLease, "estimate" | "admittedAt">, charged?: RateCharged): RateLease;
  /**
   * Closes an open lease; undefined when it was closed before.
   *
   * @throws {TypeError} for a lease that another rate admission opened.
   */
  close(lease: RateLease, state: "settled" | "released"): HeldRateLease | undefined;
}

export function createRateLeases(): RateLeases {
  const book = {};
  return {
    open({ estimate, admittedAt }, charged) {
      const lease: HeldRateLease = { state: "open", estimate, admittedAt, charged, book };
      return lease;
    },
    close(lease, state) {
      const held = lease as HeldRateLease;
      if (held.book !== book)
        throw new TypeError(
          "lease: it was not opened by this rate admission; settle it where it was admitted.",
        );
      if (held.state !== "open") return undefined;
      held.state = state;
      return held;
    },
  };
}
