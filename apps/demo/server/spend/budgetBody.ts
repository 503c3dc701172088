import { parseBudget, type Budget, type Fault, type Parsed } from "@quota/core";
import { z } from "zod";

/** The members that a budget may have; what they may be, and which must be there, is for `parseBudget` to say. */
export const budgetBody = z
  .strictObject(
    {
      limitUsd: z.unknown().optional(),
      period: z.unknown().optional(),
      timeZone: z.unknown().optional(),
      since: z.unknown().optional(),
      whenUnpriced: z.unknown().optional(),
    },
    "must be a budget, such as { limitUsd: 20, period: month }, or null for none.",
  )
  .nullable()
  .optional();

/** A budget of a body whose member `budget` it is: undefined where it is left out, null where it is taken away. `since` may be a date, too. */
export function parsedBudget(budget: unknown, now: number): Parsed<Budget | null | undefined> {
  if (budget === undefined || budget === null) return { ok: true, value: budget };
  const parsed = parseBudget(withMoment(budget), now);
  return parsed.ok ? parsed : { ok: false, faults: parsed.faults.map(below) };
}

function withMoment(budget: unknown): unknown {
  const { since } = budget as { readonly since?: unknown };
  if (typeof since !== "string") return budget;
  return { ...(budget as object), since: Date.parse(since) };
}

function below({ path, code, message }: Fault): Fault {
  return { path: path === "" ? "budget" : `budget.${path}`, code, message };
}
