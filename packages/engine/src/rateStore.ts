import type { EpochMs } from "@quota/core";
import { ContendedError } from "./contendedError.js";
import { RatesUnavailableError } from "./ratesUnavailableError.js";
import { StoreError } from "./storeError.js";
import type { StoreWatch } from "./storeWatch.js";
import type { Counter, LedgerId, Step, UsageStore } from "./usageStore.js";
import { withinTime } from "./withinTime.js";

/** The store as rate admission meets it: it answers in time, or nobody passes. */
export interface RateStore {
  /**
   * @param late is told the result of a step that was answered too late.
   * @throws {ContendedError} as the store does. @throws {RatesUnavailableError} for every other failure.
   */
  transact<Result>(step: Step<Result>, late?: (result: Result) => void): Promise<Result>;
  /** @throws {RatesUnavailableError} */
  read(
    asked: { readonly ledger: LedgerId; readonly counters: readonly Counter[] },
    now: EpochMs,
  ): Promise<readonly number[]>;
}

export function createRateStore(tools: {
  readonly store: UsageStore;
  readonly watch: StoreWatch;
  readonly timeoutMs: number;
}): RateStore {
  const { store, watch, timeoutMs } = tools;

  const tooLate = (): Error =>
    new RatesUnavailableError(`The usage store did not answer within ${String(timeoutMs)} ms.`, {
      applied: "unknown",
    });

  async function answered<Result>(
    work: Promise<Result>,
    { at, late }: { readonly at: EpochMs; readonly late?: ((result: Result) => void) | undefined },
  ): Promise<Result> {
    try {
      const result = await withinTime(work, { ms: timeoutMs, late, error: tooLate });
      watch.works();
      return result;
    } catch (cause) {
      if (cause instanceof ContendedError) throw cause;
      watch.failed({ cause, at, consequence: "requests with a rate limit are answered 503" });
      if (cause instanceof RatesUnavailableError) throw cause;
      const applied = cause instanceof StoreError ? cause.applied : "unknown";
      throw new RatesUnavailableError("The usage store failed.", { applied, cause });
    }
  }

  return {
    transact: (step, late) => answered(store.transact(step), { at: step.now, late }),
    read: ({ ledger, counters }, now) => answered(store.read(ledger, counters), { at: now }),
  };
}
