import type { Fault } from "@quota/core";

/** An input with faults, all of them listed. Nothing was written. */
export class InvalidInputError extends Error {
  readonly faults: readonly Fault[];

  constructor(faults: readonly Fault[]) {
    super(faults.map((fault) => fault.message).join(" "));
    this.name = "InvalidInputError";
    this.faults = faults;
  }
}
