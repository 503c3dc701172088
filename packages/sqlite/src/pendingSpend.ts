import type { EpochMs } from "@quota/core";
import type { Database } from "better-sqlite3";

/** What one request holds, or what it cost where its event is still to come. */
export interface PendingRow {
  /** Names. */
  readonly subjects: readonly string[];
  readonly startedAt: EpochMs;
  readonly amount: bigint;
  readonly leaseEnd: EpochMs | "answered";
}

/** `pending_spend`, and nothing of the sums that budgets keep of it. */
export interface PendingSpend {
  /** Whether there is any row at all. */
  isEmpty(): boolean;
  get(requestId: string): PendingRow | undefined;
  put(requestId: string, row: PendingRow): void;
  /** Takes a row out. */
  take(requestId: string): PendingRow | undefined;
  renew(requestId: string, leaseEnd: EpochMs): void;
  /** Takes out at most `count` rows whose lease has ended, the oldest first. */
  takeExpired(count: number, now: EpochMs): readonly PendingRow[];
  /** Those whose lease has ended and that are still there. */
  expired(now: EpochMs): readonly PendingRow[];
  /** Every row of a subject, whether it has expired or not. Looks at all there are. */
  of(subject: string): Iterable<PendingRow>;
}

type StoredRow = readonly [subjects: string, startedAt: bigint, amount: bigint, leaseEnd: bigint | null];

export function pendingSpend(connection: Database): PendingSpend {
  const columns = "subjects, started_at, amount, lease_end";
  const rows = (sql: string) => connection.prepare<unknown[], StoredRow>(sql).raw().safeIntegers();
  const any = connection.prepare<[], number>("SELECT EXISTS (SELECT 1 FROM pending_spend)").pluck();
  const one = rows(`SELECT ${columns} FROM pending_spend WHERE request_id = ?`);
  const put = connection.prepare(
    `INSERT INTO pending_spend (request_id, ${columns}) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT (request_id) DO UPDATE SET subjects = excluded.subjects, started_at = excluded.started_at,
       amount = excluded.amount, lease_end = excluded.lease_end`,
  );
  const take = rows(`DELETE FROM pending_spend WHERE request_id = ? RETURNING ${columns}`);
  const renew = connection.prepare(
    "UPDATE pending_spend SET lease_end = ? WHERE request_id = ? AND lease_end IS NOT NULL",
  );
  const expiredIds = connection
    .prepare<[number, number], string>(
      "SELECT request_id FROM pending_spend WHERE lease_end <= ? ORDER BY lease_end LIMIT ?",
    )
    .pluck();
  const expired = rows(`SELECT ${columns} FROM pending_spend WHERE lease_end <= ?`);
  const named = rows(`SELECT ${columns} FROM pending_spend WHERE instr(subjects, ?) > 0`);

  return {
    isEmpty: () => any.get() === 0,
    get: (requestId) => readRow(one.get(requestId)),
    put(requestId, { subjects, startedAt, amount, leaseEnd }) {
      const end = leaseEnd === "answered" ? null : Math.ceil(leaseEnd);
      put.run(requestId, JSON.stringify(subjects), Math.floor(startedAt), amount, end);
    },
    take: (requestId) => readRow(take.get(requestId)),
    renew: (requestId, leaseEnd) => void renew.run(Math.ceil(leaseEnd), requestId),
    takeExpired: (count, now) => expiredIds.all(now, count).map((requestId) => readRow(take.get(requestId))!),
    expired: (now) => expired.all(now).map((row) => readRow(row)!),
    *of(subject) {
      // The text is only where to look: the list may hold it as a part of a longer name.
      for (const stored of named.iterate(JSON.stringify(subject))) {
        const row = readRow(stored)!;
        if (row.subjects.includes(subject)) yield row;
      }
    },
  };
}

function readRow(row: StoredRow | undefined): PendingRow | undefined {
  if (row === undefined) return undefined;
  const [subjects, startedAt, amount, leaseEnd] = row;
  return {
    subjects: JSON.parse(subjects) as readonly string[],
    startedAt: Number(startedAt),
    amount,
    leaseEnd: leaseEnd === null ? "answered" : Number(leaseEnd),
  };
}
