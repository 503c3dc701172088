import type { EpochMs } from "@quota/core";
import type { AdmissionQuestion } from "./admissionQuestion.js";
import { admissionVerdict, type DecidedAdmission } from "./decideAdmission.js";
import { createMemoryUsageStore } from "./memoryUsageStore.js";
import { amountsOn, type Additions } from "./settlementStep.js";
import type { Counter, LedgerId } from "./usageStore.js";

/**
 * What the store has last shown of pools that are judged on that while it is away, and what this process has added since. A counter that
 * was never shown is taken as 0: a process that has just begun knows of nobody's use but its own.
 */
export interface LastKnownUse {
  /** The store has shown these amounts, and then added to them. */
  shown(ledger: LedgerId, reading: Reading, now: EpochMs): void;
  /** This process has used so much, which the store does not know yet. */
  added(ledger: LedgerId, additions: Pick<Additions, "counters" | "amounts" | "reading">, now: EpochMs): void;
  /** The rule's answer on what is known; what it lets pass is held here. */
  judge(question: AdmissionQuestion, now: EpochMs): Promise<DecidedAdmission>;
}

/** Aligned lists. */
export interface Reading {
  readonly counters: readonly Counter[];
  readonly amounts: readonly number[];
  readonly additions: readonly number[];
}

export function createLastKnownUse(): LastKnownUse {
  let known = createMemoryUsageStore();

  /** A memory that is full is of old things mostly: it begins anew. */
  function keep(step: Promise<unknown>): void {
    step.catch(() => (known = createMemoryUsageStore()));
  }

  return {
    shown(ledger, { counters, amounts, additions }, now) {
      keep(
        known.transact({
          ledger,
          counters,
          now,
          decide: (before) => ({
            result: undefined,
            additions: before.map((amount, i) => amounts[i]! + additions[i]! - amount),
          }),
        }),
      );
    },
    added(ledger, additions, now) {
      const { counters } = additions;
      if (counters.length === 0) return;
      keep(
        known.transact({
          ledger,
          counters,
          now,
          decide: (shown) => ({ result: undefined, additions: amountsOn(additions, shown) }),
        }),
      );
    },
    judge: (question, now) =>
      known.transact({
        ledger: question.live.ledger,
        counters: question.sheet.counters,
        now,
        // The windows are those that were known last.
        decide: (amounts) => admissionVerdict(question, amounts, now),
      }),
  };
}
