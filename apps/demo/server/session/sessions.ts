import { createHmac, randomBytes } from "node:crypto";
import type { QuotaDatabase } from "@quota/sqlite";

/** The sessions of the people who administer, in the gateway's database: every gateway on it knows them, and they outlive a start. */
export interface Sessions {
  /** A new one. Its id is in nobody's hands but the caller's: only a hash of it is kept. */
  begin(now: number): Promise<{ readonly id: string }>;
  /** Until when (epoch ms) the session of this id lives if it is not used again; undefined where there is none. To ask is to use it. */
  use(id: string, now: number): Promise<number | undefined>;
  /** Ends it everywhere, at once. */
  end(id: string): Promise<void>;
}

/** A session that nobody has used for this long is over. */
const IDLE_MS = 12 * 3_600_000;
/** However much it is used, a session is over after this. */
export const LONGEST_SESSION_MS = 7 * 24 * 3_600_000;
/** How old what is written of the last use may be, so that pages that poll do not write each time. */
const KEPT_TO_MS = 60_000;

/**
 * Sessions that were begun with this admin token: with another one they are not found, and fade. An id has 256 random bits and only its
 * hash is looked for, so what the duration of a lookup could tell is about the hash of a guess.
 */
export function createSessions(
  database: QuotaDatabase,
  adminToken: string,
  onUnwritten: (error: unknown) => void,
): Sessions {
  const { connection: db } = database;
  const insert = db.prepare("INSERT INTO sessions (id_hash, begun_at, used_at) VALUES (?, ?, ?)");
  const sweep = db.prepare("DELETE FROM sessions WHERE used_at <= ? OR begun_at <= ?");
  const byHash = db.prepare<[Buffer], Row>("SELECT begun_at, used_at FROM sessions WHERE id_hash = ?");
  const touch = db.prepare("UPDATE sessions SET used_at = max(used_at, ?) WHERE id_hash = ?");
  const remove = db.prepare("DELETE FROM sessions WHERE id_hash = ?");

  const hashOf = (id: string): Buffer => createHmac("sha256", adminToken).update(id).digest();

  return {
    async begin(now) {
      const id = randomBytes(32).toString("base64url");
      await database.write(() => {
        sweep.run(now - IDLE_MS, now - LONGEST_SESSION_MS);
        insert.run(hashOf(id), now, now);
      });
      return { id };
    },
    async use(id, now) {
      const hash = hashOf(id);
      const row = byHash.get(hash);
      if (row === undefined || now >= endOf(row)) return undefined;
      if (now - row.used_at < KEPT_TO_MS) return endOf(row);
      try {
        // One that is ended meanwhile has no row to write to, and stays ended.
        await database.write(() => touch.run(now, hash));
        return endOf({ ...row, used_at: now });
      } catch (error) {
        // A full disk or a locked file is what somebody may be signed in to look at: the session is as good as it was.
        onUnwritten(error);
        return endOf(row);
      }
    },
    async end(id) {
      await database.write(() => remove.run(hashOf(id)));
    },
  };
}

interface Row {
  readonly begun_at: number;
  readonly used_at: number;
}

function endOf({ begun_at, used_at }: Row): number {
  return Math.min(used_at + IDLE_MS, begun_at + LONGEST_SESSION_MS);
}
