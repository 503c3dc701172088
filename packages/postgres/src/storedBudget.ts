import { exactBudget, type Budget, type Parsed } from "@quota/core";

/** A budget as a text of one's own: to the nano-dollar, whatever its limit. */
export function budgetText({ limit, period, timeZone, since, whenUnpriced }: Budget): string {
  return JSON.stringify({ limit, period, timeZone, since, whenUnpriced });
}

/** The budget that {@link budgetText} was given, with the calendar of its zone at hand; or what is wrong with the text. */
export function storedBudget(text: string): Parsed<Budget> {
  return exactBudget(jsonIn(text));
}

/** Text that is no JSON is no budget either. */
function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
