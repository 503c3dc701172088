import { createHmac, randomBytes } from "node:crypto";
import type { SessionRow, SessionRows } from "./sessionRows.js";

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
  rows: SessionRows,
  adminToken: string,
  onUnwritten: (error: unknown) => void,
): Sessions {
  const hashOf = (id: string): Buffer => createHmac("sha256", adminToken).update(id).digest();

  return {
    async begin(now) {
      const id = randomBytes(32).toString("base64url");
      const over = { usedAt: now - IDLE_MS, begunAt: now - LONGEST_SESSION_MS };
      await rows.add(hashOf(id), { begunAt: now, usedAt: now }, over);
      return { id };
    },
    async use(id, now) {
      const hash = hashOf(id);
      const row = await rows.find(hash);
      if (row === undefined || now >= endOf(row)) return undefined;
      if (now - row.usedAt < KEPT_TO_MS) return endOf(row);
      try {
        // One that is ended meanwhile has no row to write to, and stays ended.
        await rows.use(hash, now);
        return endOf({ ...row, usedAt: now });
      } catch (error) {
        // A full disk or a locked file is what somebody may be signed in to look at: the session is as good as it was.
        onUnwritten(error);
        return endOf(row);
      }
    },
    end: (id) => rows.remove(hashOf(id)),
  };
}

function endOf({ begunAt, usedAt }: SessionRow): number {
  return Math.min(usedAt + IDLE_MS, begunAt + LONGEST_SESSION_MS);
}
