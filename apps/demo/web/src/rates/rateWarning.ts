/** A limit that is smaller than what the limits below it add up to: under load those get less than they say. */
export interface RateWarning {
  readonly kind: string;
  readonly id: string;
  readonly dimension: "rpm" | "tpm";
  readonly limit: number;
  readonly limitsBelow: number;
  /** A sentence with its remedy. */
  readonly message: string;
}
