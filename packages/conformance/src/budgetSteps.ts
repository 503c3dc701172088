import { parseBudget, type Budget, type BudgetDecision, type SpendSubject } from "@quota/core";
import type { BudgetHold, BudgetLedger } from "@quota/engine";
import { expect } from "vitest";
import { alice, MINUTE, NOON } from "./sampleSpend.js";

/** A day's budget of 100 nano-dollars, in UTC; what is given is otherwise. Its zone's windows are at hand, as they are where it is parsed. */
export function budget(rest: Partial<Budget> = {}): Budget {
  const { period = "day", timeZone = "UTC" } = rest;
  const terms = { limit: 100, period, timeZone, since: 0, whenUnpriced: "allow", ...rest } as const;
  const parsed = parseBudget({ limitUsd: 1, period, timeZone }, NOON);
  if (!parsed.ok) throw new Error(parsed.faults.map(({ message }) => message).join(" "));
  return Object.defineProperty(terms, "windows", { value: parsed.value.windows });
}

/** A hold of alice's, for 10 nano-dollars, at noon, for ten minutes; what is given is otherwise. */
export function asking(requestId: string, rest: Partial<BudgetHold> = {}): BudgetHold {
  const { startedAt = NOON } = rest;
  return {
    requestId,
    subjects: [alice],
    startedAt,
    estimate: 10,
    leaseEnd: startedAt + 10 * MINUTE,
    ...rest,
  };
}

/** Holds when the request starts, and expects it to be let pass. */
export async function hold(
  budgets: BudgetLedger,
  requestId: string,
  rest: Partial<BudgetHold> = {},
): Promise<void> {
  expect(await tryHold(budgets, requestId, rest)).toEqual({ status: "allowed", allowed: true });
}

/** Asks when the request starts. */
export async function tryHold(
  budgets: BudgetLedger,
  requestId: string,
  rest: Partial<BudgetHold> = {},
): Promise<BudgetDecision> {
  const asked = asking(requestId, rest);
  return budgets.hold(asked, asked.startedAt);
}

/** What counts against a subject's budget: the period's total, and what is pending. */
export async function counts(
  budgets: BudgetLedger,
  subject: SpendSubject,
  now: number = NOON,
): Promise<readonly [spent: bigint, pending: bigint] | undefined> {
  const standing = await budgets.standing(subject, now);
  return standing && [standing.spent, standing.pending];
}
