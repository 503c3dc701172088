import { calendarAnchor } from "./anchor.js";
import type { Budget, BudgetPeriod } from "./budget.js";
import type { Fault, Parsed } from "./fault.js";
import { isRecord } from "./isRecord.js";
import { parseUsd } from "./parseUsd.js";
import type { EpochMs } from "./units.js";

/** A budget as people write it. Dollars are taken as they are written, to the nano-dollar. */
export interface BudgetSpec {
  readonly limitUsd: number;
  readonly period: BudgetPeriod;
  /** Default `"UTC"`. */
  readonly timeZone?: string | undefined;
  /** For `"once"` alone; default: the moment of writing. */
  readonly since?: EpochMs | undefined;
  /** Default `"allow"`. */
  readonly whenUnpriced?: Budget["whenUnpriced"] | undefined;
}

/**
 * Reads a {@link BudgetSpec}. All faults are listed at once; members it does not know are dropped.
 *
 * @example
 * parseBudget({ limitUsd: 20, period: "month", timeZone: "Europe/Paris" }, Date.now());
 */
export function parseBudget(input: unknown, now: EpochMs): Parsed<Budget> {
  if (!isRecord(input))
    return { ok: false, faults: [fault("", "not-an-object", "The budget must be an object.")] };
  const { limitUsd, period, timeZone = "UTC", since, whenUnpriced = "allow" } = input;
  const limit = parseUsd(limitUsd, "limitUsd");
  const faults: Fault[] = limit.ok ? [] : [...limit.faults];
  const known = PERIODS.find((each) => each === period);
  if (known === undefined)
    faults.push(fault("period", "unknown-word", 'period must be "day", "week", "month" or "once".'));
  const anchor = typeof timeZone === "string" ? calendarAnchor(timeZone) : undefined;
  if (anchor === undefined)
    faults.push(
      fault(
        "timeZone",
        "unknown-time-zone",
        'timeZone names no time zone that is known here; write one such as "Europe/Paris", or leave it out for UTC.',
      ),
    );
  if (
    since !== undefined &&
    !(Number.isSafeInteger(since) && (since as number) >= 0 && (since as number) <= LAST_DATE)
  )
    faults.push(
      fault(
        "since",
        "not-a-whole-number",
        "since must be whole milliseconds since 1970, no later than a date can be; correct it.",
      ),
    );
  if (since !== undefined && known !== undefined && known !== "once")
    faults.push(
      fault(
        "since",
        "without-once",
        `since is for "once" alone; a ${known} begins by the calendar: leave it out.`,
      ),
    );
  if (whenUnpriced !== "allow" && whenUnpriced !== "refuse")
    faults.push(fault("whenUnpriced", "unknown-word", 'whenUnpriced must be "allow" or "refuse".'));
  if (faults.length > 0 || !limit.ok || known === undefined || anchor === undefined)
    return { ok: false, faults };
  const budget: Budget = {
    limit: limit.value,
    period: known,
    timeZone: anchor.calendar,
    since: known === "once" ? ((since as EpochMs | undefined) ?? Math.floor(now)) : 0,
    whenUnpriced: whenUnpriced as Budget["whenUnpriced"],
  };
  return {
    ok: true,
    value: Object.freeze(Object.defineProperty(budget, "windows", { value: anchor.windows })),
  };
}

/** The last moment that a `Date` can name: who shows a budget shows its moments as dates. */
const LAST_DATE = 8.64e15;

const PERIODS: readonly BudgetPeriod[] = ["day", "week", "month", "once"];

function fault(path: string, code: string, message: string): Fault {
  return { path, code, message };
}
