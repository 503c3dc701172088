import { parseBudget, type Budget, type Parsed } from "@quota/core";

/** A budget as a text of one's own: to the nano-dollar, whatever its limit. */
export function budgetText({ limit, period, timeZone, since, whenUnpriced }: Budget): string {
  return JSON.stringify({ limit, period, timeZone, since, whenUnpriced });
}

/** The budget that {@link budgetText} was given, with the calendar of its zone at hand; or what is wrong with the text. */
export function storedBudget(text: string): Parsed<Budget> {
  const { limit, since, ...terms } = membersIn(text);
  // Terms are read by the rule; a limit is as it was given.
  const parsed = parseBudget({ ...terms, limitUsd: 0, ...(terms["period"] === "once" && { since }) }, 0);
  if (!parsed.ok) return parsed;
  if (!Number.isSafeInteger(limit) || (limit as number) < 0) {
    const message = "limit must be whole nano-dollars; correct it.";
    return { ok: false, faults: [{ path: "limit", code: "not-a-whole-number", message }] };
  }
  const { windows, ...rest } = parsed.value;
  const budget: Budget = { ...rest, limit: limit as number };
  return { ok: true, value: Object.freeze(Object.defineProperty(budget, "windows", { value: windows })) };
}

/** Text that is no JSON has no members either. */
function membersIn(text: string): Readonly<Record<string, unknown>> {
  try {
    return Object(JSON.parse(text)) as Record<string, unknown>;
  } catch {
    return {};
  }
}
