import type { EpochMs } from "@quota/core";
import type { AdmissionQuestion } from "./admissionQuestion.js";
import { verdictInWindows, type DecidedAdmission } from "./decideAdmission.js";
import type { UsageStore } from "./usageStore.js";
import type { MOVED } from "./windowState.js";

/** Puts a question to a store, which holds the estimate if the rule allows it. Without a promise of its own: it is on the path of every request. */
export function askAdmission(
  store: UsageStore,
  question: AdmissionQuestion,
  now: EpochMs,
): Promise<DecidedAdmission | typeof MOVED> {
  return store.transact({
    ledger: question.live.ledger,
    counters: question.sheet.counters,
    now,
    decide: (amounts) => verdictInWindows(question, amounts, now),
  });
}
