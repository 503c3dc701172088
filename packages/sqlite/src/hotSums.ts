import type { Database } from "better-sqlite3";

/** What waits in a spend queue, in `spend_hot`. Changes are gathered, and written at the end of a batch. */
export interface HotSums {
  raise(subject: string, minute: number, by: bigint): void;
  write(): void;
  /** Forgets what was gathered. */
  drop(): void;
  sum(subject: string): bigint;
  /** Of these minutes on, and of the unknown one, which is below 0. */
  sumSince(subject: string, minute: number): bigint;
}

export function hotSums(connection: Database): HotSums {
  const raise = connection
    .prepare<[string, number, bigint], bigint>(
      `INSERT INTO spend_hot (subject, minute, amount) VALUES (?, ?, ?)
       ON CONFLICT (subject, minute) DO UPDATE SET amount = amount + excluded.amount RETURNING amount`,
    )
    .pluck()
    .safeIntegers();
  const drop = connection.prepare("DELETE FROM spend_hot WHERE subject = ? AND minute = ?");
  const sum = connection
    .prepare<[string], bigint>("SELECT coalesce(sum(amount), 0) FROM spend_hot WHERE subject = ?")
    .pluck()
    .safeIntegers();
  const sumSince = connection
    .prepare<[string, number], bigint>(
      "SELECT coalesce(sum(amount), 0) FROM spend_hot WHERE subject = ? AND (minute >= ? OR minute < 0)",
    )
    .pluck()
    .safeIntegers();
  const gathered = new Map<string, Map<number, bigint>>();

  return {
    raise(subject, minute, by) {
      const minutes = gathered.get(subject) ?? new Map<number, bigint>();
      minutes.set(minute, (minutes.get(minute) ?? 0n) + by);
      gathered.set(subject, minutes);
    },
    write() {
      for (const [subject, minutes] of gathered)
        for (const [minute, by] of minutes)
          // Events that cost nothing are queued, too.
          if (by !== 0n && raise.get(subject, minute, by) === 0n) drop.run(subject, minute);
      gathered.clear();
    },
    drop: () => gathered.clear(),
    sum: (subject) => sum.get(subject) ?? 0n,
    sumSince: (subject, minute) => sumSince.get(subject, minute) ?? 0n,
  };
}
