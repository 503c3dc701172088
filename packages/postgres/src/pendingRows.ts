import type { EpochMs } from "@quota/core";
import type { PostgresTransaction } from "./postgresTransaction.js";
import { storedText, textStored } from "./storedText.js";

/** What a request holds, or what it cost where its event is still to come. */
export interface PendingRow {
  /** Names of subjects. */
  readonly subjects: readonly string[];
  readonly startedAt: EpochMs;
  readonly amount: bigint;
  readonly leaseEnd: EpochMs | "answered";
}

/** How many rows whose lease has ended one transaction takes out, so that nobody waits long for what others left. */
export const SWEPT_AT_ONCE = 500;

export interface TakenRows {
  readonly asked: ReadonlyMap<string, PendingRow>;
  /** Rows of others whose lease has ended, at most {@link SWEPT_AT_ONCE}, oldest first. */
  readonly expired: ReadonlyMap<string, PendingRow>;
}

/** Reads and locks the rows of these requests, and of those that have expired what nobody else is about to take out. */
export async function lockPending(
  { rows }: PostgresTransaction,
  requestIds: readonly string[],
  now: EpochMs,
): Promise<TakenRows> {
  const found = await rows<{
    request_id: string;
    subjects: string[];
    started_at: string;
    amount: string;
    lease_end: string | null;
    was_asked: boolean;
  }>(
    `WITH asked AS (
       SELECT * FROM pending_spend WHERE request_id = ANY($1::text[]) ORDER BY request_id COLLATE "C" FOR UPDATE
     ), expired AS (
       SELECT * FROM pending_spend WHERE lease_end <= $2 AND NOT request_id = ANY($1::text[])
       ORDER BY lease_end LIMIT ${String(SWEPT_AT_ONCE)} FOR UPDATE SKIP LOCKED
     )
     SELECT *, true AS was_asked FROM asked UNION ALL SELECT *, false FROM expired`,
    [requestIds.map(storedText), now],
  );
  const taken = { asked: new Map<string, PendingRow>(), expired: new Map<string, PendingRow>() };
  for (const row of found)
    taken[row.was_asked ? "asked" : "expired"].set(textStored(row.request_id), {
      subjects: row.subjects.map(textStored),
      startedAt: Number(row.started_at),
      amount: BigInt(row.amount),
      leaseEnd: row.lease_end === null ? "answered" : Number(row.lease_end),
    });
  return taken;
}

/** Puts rows in the place of what these requests hold; undefined takes it away. */
export async function writePending(
  { run }: PostgresTransaction,
  changes: ReadonlyMap<string, PendingRow | undefined>,
): Promise<void> {
  const gone = [...changes].flatMap(([id, row]) => (row === undefined ? [storedText(id)] : []));
  const put = [...changes].flatMap(([id, row]) =>
    row === undefined ? [] : [[storedText(id), row] as const],
  );
  const statements: Promise<number>[] = [];
  if (gone.length > 0)
    statements.push(run("DELETE FROM pending_spend WHERE request_id = ANY($1::text[])", [gone]));
  if (put.length > 0)
    statements.push(
      run(
        // A list of lists would have to be as wide everywhere: subjects are JSON on their way.
        `INSERT INTO pending_spend (request_id, subjects, started_at, amount, lease_end)
         SELECT request_id, ARRAY(SELECT jsonb_array_elements_text(subjects::jsonb)), started_at, amount, lease_end
         FROM unnest($1::text[], $2::text[], $3::int8[], $4::int8[], $5::int8[]) AS row (request_id, subjects, started_at, amount, lease_end)
         ON CONFLICT (request_id) DO UPDATE SET subjects = excluded.subjects, started_at = excluded.started_at,
           amount = excluded.amount, lease_end = excluded.lease_end`,
        [
          put.map(([id]) => id),
          put.map(([, { subjects }]) => JSON.stringify(subjects.map(storedText))),
          put.map(([, { startedAt }]) => startedAt),
          put.map(([, { amount }]) => String(amount)),
          put.map(([, { leaseEnd }]) => (leaseEnd === "answered" ? null : leaseEnd)),
        ],
      ),
    );
  await Promise.all(statements);
}
