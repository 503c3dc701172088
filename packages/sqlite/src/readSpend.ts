import { QUARTER_MS } from "@quota/core";
import {
  DAY_MS,
  dayName,
  spendSpans,
  type SpendAsked,
  type SpendGroup,
  type SpendSpans,
} from "@quota/engine";
import type { Database } from "better-sqlite3";
import { PAYER_COLUMNS } from "./spendEntries.js";

/**
 * Adds up what the ledger has, from as few rows as will do: whole days (UTC) from the sums of days, what is left at both ends from those of quarters
 * of an hour, and the parts of a quarter from the events themselves. Of an event whose details were purged it is known in which quarter it
 * ended: it counts at the moment that opens.
 */
export function readSpend(
  connection: Database,
  { groupBy, from, to, of }: SpendAsked,
): readonly SpendGroup[] {
  const group =
    groupBy === "model"
      ? "account.model"
      : groupBy === "day"
        ? `used.moment / ${String(DAY_MS)}`
        : `account.${PAYER_COLUMNS[groupBy]}`;
  const order = groupBy === "day" ? "1" : "2 DESC, 1";
  const rows = connection
    .prepare<[Bounds], GroupRow>(
      `WITH used AS (${SOURCES.join(" UNION ALL ")})
       SELECT ${group}, sum(used.cost), sum(used.requests), sum(used.unpriced), sum(used.input), sum(used.cached_input), sum(used.output)
       FROM used JOIN spend_accounts AS account USING (account)
       WHERE ${of ? `account.${PAYER_COLUMNS[of.kind]} = @of` : "@of IS NULL"}
       GROUP BY 1 HAVING sum(used.requests) > 0 ORDER BY ${order}`,
    )
    .raw()
    .safeIntegers()
    .all({ from, to, of: of?.id ?? null, ...spendSpans({ from, to }) });
  return rows.map(([name, cost, requests, unpriced, input, cachedInput, output]) => ({
    group: typeof name === "bigint" ? dayName(Number(name)) : (name ?? undefined),
    cost,
    requests: Number(requests),
    unpriced: Number(unpriced),
    tokens: { input: Number(input), cachedInput: Number(cachedInput), output: Number(output) },
  }));
}

type GroupRow = [
  group: string | bigint | null,
  cost: bigint,
  requests: bigint,
  unpriced: bigint,
  input: bigint,
  cachedInput: bigint,
  output: bigint,
];

/** Where each source begins and ends. */
interface Bounds extends SpendSpans {
  readonly of: string | null;
  readonly from: number;
  readonly to: number;
}

const kept = (span: number, bounds: string): string =>
  `SELECT account, opens AS moment, cost, requests, unpriced, input, cached_input, output
   FROM spend_by_end WHERE span_ms = ${String(span)} AND ${bounds}`;

const events = (sign: "" | "-", bounds: string): string =>
  `SELECT account, ended_at AS moment, ${sign}coalesce(cost, 0) AS cost, ${sign}1 AS requests, ${sign}(cost IS NULL) AS unpriced,
     ${sign}coalesce(input, 0) AS input, ${sign}coalesce(cached_input, 0) AS cached_input, ${sign}coalesce(output, 0) AS output
   FROM spend_events WHERE ${bounds}`;

const SOURCES: readonly string[] = [
  kept(DAY_MS, "opens >= @firstDay AND opens < @afterLastDay"),
  // Every quarter that opens within what is asked for, and is in none of those days.
  kept(QUARTER_MS, "opens >= @from AND opens < @firstDay"),
  kept(QUARTER_MS, "opens >= @afterLastDay AND opens < @to"),
  // Of the last of them, what ended later than is asked for; and of the one before the first, what ended late enough.
  events("-", "ended_at >= @to AND ended_at < @cutTo"),
  events("", "ended_at >= @from AND ended_at < @firstQuarter"),
];
