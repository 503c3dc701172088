/** A configuration mistake, thrown once, where something is constructed: which field, what is wrong with it, what to write instead. */
export class QuotaConfigError extends Error {
  /** Stable and machine-readable, such as `"out-of-range"`. */
  readonly code: string;
  /** The option or member at fault, such as `"saturationThreshold"`. */
  readonly field: string;
  /** What to do about it. */
  readonly remedy: string;

  constructor(fault: {
    readonly code: string;
    readonly field: string;
    readonly problem: string;
    readonly remedy: string;
  }) {
    super(`${fault.field}: ${fault.problem} ${fault.remedy}`);
    this.name = "QuotaConfigError";
    this.code = fault.code;
    this.field = fault.field;
    this.remedy = fault.remedy;
  }
}
