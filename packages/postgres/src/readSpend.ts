import { QUARTER_MS } from "@quota/core";
import { DAY_MS, dayName, spendSpans, type SpendAsked, type SpendGroup } from "@quota/engine";
import type { PostgresDatabase } from "./openPostgres.js";
import { PAYER_COLUMNS } from "./payerColumns.js";
import { storedText, textStored } from "./storedText.js";

/**
 * Adds up what the ledger has, from as few rows as will do: whole days (UTC) from the sums of days, what is left at both ends from those of quarters
 * of an hour, and the parts of a quarter from the events themselves. Of an event whose details were purged it is known in which quarter it
 * ended: it counts at the moment that opens.
 */
export async function readSpend(
  db: PostgresDatabase,
  { groupBy, from, to, of }: SpendAsked,
): Promise<readonly SpendGroup[]> {
  const group =
    groupBy === "model"
      ? "account.model"
      : groupBy === "day"
        ? `(used.moment / ${String(DAY_MS)})::text`
        : `account.${PAYER_COLUMNS[groupBy]}`;
  const order = groupBy === "day" ? "min(used.moment)" : `sum(used.cost) DESC, ${group} COLLATE "C"`;
  const { firstDay, afterLastDay, firstQuarter, cutTo } = spendSpans({ from, to });
  const rows = await db.rows<GroupRow>(
    `WITH used AS (${SOURCES.join(" UNION ALL ")})
     SELECT ${group} AS group, sum(used.cost) AS cost, sum(used.requests) AS requests, sum(used.unpriced) AS unpriced,
       sum(used.input) AS input, sum(used.cached_input) AS cached_input, sum(used.output) AS output
     FROM used JOIN spend_accounts AS account USING (account)
     WHERE $7::text IS NULL ${of ? `OR account.${PAYER_COLUMNS[of.kind]} = $7` : ""}
     GROUP BY 1 HAVING sum(used.requests) > 0
     ORDER BY ${order}`,
    [from, to, firstDay, afterLastDay, firstQuarter, cutTo, of === undefined ? null : storedText(of.id)],
  );
  return rows.map(({ group: name, cost, requests, unpriced, input, cached_input, output }) => ({
    group: name === null ? undefined : groupBy === "day" ? dayName(Number(name)) : textStored(name),
    cost: BigInt(cost),
    requests: Number(requests),
    unpriced: Number(unpriced),
    tokens: { input: Number(input), cachedInput: Number(cached_input), output: Number(output) },
  }));
}

interface GroupRow {
  readonly group: string | null;
  readonly cost: string;
  readonly requests: string;
  readonly unpriced: string;
  readonly input: string;
  readonly cached_input: string;
  readonly output: string;
}

const kept = (span: number, bounds: string): string =>
  `SELECT account, opens AS moment, cost, requests, unpriced, input, cached_input, output
   FROM spend_by_end WHERE span_ms = ${String(span)} AND ${bounds}`;

const events = (sign: 1 | -1, bounds: string): string =>
  `SELECT account, ended_at AS moment, ${String(sign)} * coalesce(cost, 0), ${String(sign)}, ${String(sign)} * (cost IS NULL)::int,
     ${String(sign)} * coalesce(input, 0), ${String(sign)} * coalesce(cached_input, 0), ${String(sign)} * coalesce(output, 0)
   FROM spend_events WHERE ${bounds}`;

/** $1 from, $2 to, and then the spans: $3 `firstDay`, $4 `afterLastDay`, $5 `firstQuarter`, $6 `cutTo`. */
const SOURCES: readonly string[] = [
  kept(DAY_MS, "opens >= $3::int8 AND opens < $4::int8"),
  // Every quarter that opens within what is asked for, and is in none of those days.
  kept(QUARTER_MS, "opens >= $1::int8 AND opens < $3::int8"),
  kept(QUARTER_MS, "opens >= $4::int8 AND opens < $2::int8"),
  // Of the last of them, what ended later than is asked for; and of the one before the first, what ended late enough.
  events(-1, "ended_at >= $2::int8 AND ended_at < $6::int8"),
  events(1, "ended_at >= $1::int8 AND ended_at < $5::int8"),
];
