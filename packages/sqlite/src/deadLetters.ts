import type { EpochMs } from "@quota/core";
import type { DamagedSpend, DeadLetter } from "@quota/engine";
import type { Database } from "better-sqlite3";

/** `spend_dead_letters`. */
export interface DeadLetters {
  keep(letter: DamagedSpend, now: EpochMs): void;
  list(): readonly DeadLetter[];
  /** The letter that was closed; undefined where none was open. */
  close(
    id: string,
    as: "retried" | "kept-aside",
    now: EpochMs,
  ): { readonly requestId: string | undefined } | undefined;
}

export function deadLetters(connection: Database): DeadLetters {
  const keep = connection.prepare(
    `INSERT INTO spend_dead_letters (position, raw, why, request_id, kept_at, state) VALUES (?, ?, ?, ?, ?, 'open')
     ON CONFLICT (position) DO NOTHING`,
  );
  const all = connection
    .prepare<[], [number, string, string, string | null, number, DeadLetter["state"]]>(
      "SELECT letter, raw, why, request_id, kept_at, state FROM spend_dead_letters ORDER BY kept_at DESC, letter DESC",
    )
    .raw();
  const close = connection
    .prepare<[string, number, string], [string | null]>(
      "UPDATE spend_dead_letters SET state = ?, closed_at = ? WHERE letter = ? AND state = 'open' RETURNING request_id",
    )
    .raw();
  return {
    keep({ position, raw, why, requestId }, now) {
      keep.run(position, raw, why, requestId ?? null, Math.floor(now));
    },
    list: () =>
      all.all().map(([letter, raw, why, requestId, keptAt, state]) => ({
        id: String(letter),
        raw,
        why,
        requestId: requestId ?? undefined,
        keptAt,
        state,
      })),
    close(id, as, now) {
      // SQLite would take "1.0" or " 1" for the number 1, too.
      const closed = /^\d+$/.test(id) ? close.get(as, Math.floor(now), id) : undefined;
      return closed && { requestId: closed[0] ?? undefined };
    },
  };
}
