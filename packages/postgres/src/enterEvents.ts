import { QUARTER_MS, quarterOf, subjectName, type EpochMs, type SpendEvent } from "@quota/core";
import { DAY_MS } from "@quota/engine";
import type { PostgresTransaction } from "./postgresTransaction.js";
import { storedText, textStored } from "./storedText.js";

/** Enters ids that the ledger does not know; which they were. In one order, so that two that enter the same ids do not wait for each other. */
export async function enterIds(
  { rows }: PostgresTransaction,
  requestIds: readonly string[],
): Promise<ReadonlySet<string>> {
  const found = await rows<{ request_id: string }>(
    "INSERT INTO spend_ids (request_id) SELECT unnest($1::text[]) ON CONFLICT DO NOTHING RETURNING request_id",
    [requestIds.map(storedText).sort()],
  );
  return new Set(found.map(({ request_id }) => textStored(request_id)));
}

/** Writes the details of events that are new, and raises every sum by them: a few statements, however many events. */
export async function enterEvents(
  { run }: PostgresTransaction,
  events: readonly SpendEvent[],
  accountOf: (event: SpendEvent) => string,
): Promise<void> {
  const subjects = sumsBy(events.flatMap(paid), ({ subject }) => subject);
  const starts = sumsBy(
    events.flatMap(paid).filter(({ quarter }) => quarter !== undefined),
    ({ subject, quarter }) => `${String(quarter)} ${subject}`,
  );
  const ends = sumsBy(
    events.flatMap((event) =>
      [QUARTER_MS, DAY_MS].map((span) => ({
        span,
        opens: Math.floor(event.endedAt / span) * span,
        account: accountOf(event),
        event,
      })),
    ),
    ({ span, opens, account }) => `${String(span)} ${String(opens)} ${account}`,
  );
  const sum = (some: readonly { readonly amount: bigint }[]): string =>
    String(some.reduce((total, { amount }) => total + amount, 0n));
  const total = (
    some: readonly { readonly event: SpendEvent }[],
    of: (event: SpendEvent) => number,
  ): string => String(some.reduce((all, { event }) => all + BigInt(of(event)), 0n));

  await Promise.all([
    run(
      `INSERT INTO spend_events (request_id, account, started_at, ended_at, cost, input, cached_input, cache_write, output, reasoning,
         provider, connection_id, outcome)
       SELECT * FROM unnest($1::text[], $2::int8[], $3::int8[], $4::int8[], $5::int8[], $6::int8[], $7::int8[], $8::int8[], $9::int8[],
         $10::int8[], $11::text[], $12::text[], $13::text[])`,
      [
        events.map(({ requestId }) => storedText(requestId)),
        events.map(accountOf),
        events.map(({ startedAt }) => startedAt ?? null),
        events.map(({ endedAt }) => endedAt),
        events.map(({ cost }) => (cost === "unpriced" ? null : cost)),
        ...(["input", "cachedInput", "cacheWrite", "output", "reasoning"] as const).map((name) =>
          events.map(({ tokens }) => tokens?.[name] ?? null),
        ),
        events.map(({ provider }) => textOrNull(provider)),
        events.map(({ connectionId }) => textOrNull(connectionId)),
        events.map(({ outcome }) => outcome),
      ],
    ),
    run(
      `INSERT INTO spend_subjects (subject, total, undated) SELECT * FROM unnest($1::text[], $2::int8[], $3::int8[])
       ON CONFLICT (subject) DO UPDATE SET total = spend_subjects.total + excluded.total, undated = spend_subjects.undated + excluded.undated`,
      [
        subjects.map(([first]) => first.subject),
        subjects.map(sum),
        subjects.map((some) => sum(some.filter(({ quarter }) => quarter === undefined))),
      ],
    ),
    run(
      `INSERT INTO spend_by_start (subject, quarter, amount) SELECT * FROM unnest($1::text[], $2::int8[], $3::int8[])
       ON CONFLICT (subject, quarter) DO UPDATE SET amount = spend_by_start.amount + excluded.amount`,
      [starts.map(([first]) => first.subject), starts.map(([first]) => first.quarter), starts.map(sum)],
    ),
    run(
      `INSERT INTO spend_by_end AS sums (span_ms, opens, account, cost, requests, unpriced, input, cached_input, output)
       SELECT * FROM unnest($1::int8[], $2::int8[], $3::int8[], $4::int8[], $5::int8[], $6::int8[], $7::int8[], $8::int8[], $9::int8[])
       ON CONFLICT (span_ms, opens, account) DO UPDATE SET cost = sums.cost + excluded.cost, requests = sums.requests + excluded.requests,
         unpriced = sums.unpriced + excluded.unpriced, input = sums.input + excluded.input,
         cached_input = sums.cached_input + excluded.cached_input, output = sums.output + excluded.output`,
      [
        ends.map(([first]) => first.span),
        ends.map(([first]) => first.opens),
        ends.map(([first]) => first.account),
        ends.map((some) => total(some, ({ cost }) => (cost === "unpriced" ? 0 : cost))),
        ends.map((some) => some.length),
        ends.map((some) => some.filter(({ event }) => event.cost === "unpriced").length),
        ends.map((some) => total(some, ({ tokens }) => tokens?.input ?? 0)),
        ends.map((some) => total(some, ({ tokens }) => tokens?.cachedInput ?? 0)),
        ends.map((some) => total(some, ({ tokens }) => tokens?.output ?? 0)),
      ],
    ),
  ]);
}

interface Paid {
  readonly subject: string;
  readonly quarter: EpochMs | undefined;
  readonly amount: bigint;
}

function paid({ subjects, cost, startedAt }: SpendEvent): readonly Paid[] {
  const amount = cost === "unpriced" ? 0n : BigInt(cost);
  const quarter = startedAt === undefined ? undefined : quarterOf(startedAt);
  return subjects.map((each) => ({ subject: storedText(subjectName(each)), quarter, amount }));
}

/** In groups, in one order: who raises the same sums beside us raises them in the same order, and nobody waits for who waits for them. */
function sumsBy<Each>(all: readonly Each[], nameOf: (each: Each) => string): readonly [Each, ...Each[]][] {
  const groups = new Map<string, [Each, ...Each[]]>();
  for (const each of all) {
    const name = nameOf(each);
    const group = groups.get(name);
    if (group === undefined) groups.set(name, [each]);
    else group.push(each);
  }
  return [...groups].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, group]) => group);
}

function textOrNull(text: string | undefined): string | null {
  return text === undefined ? null : storedText(text);
}
