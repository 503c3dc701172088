import { randomUUID } from "node:crypto";
import { mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Tells gateways that share a data directory of each other. */
export interface Presence {
  /** Names this gateway among others, for as long as it runs. */
  readonly id: string;
  /** How many others run on the directory, or did a moment ago. */
  others(): number;
  close(): void;
}

const BEAT_MS = 5_000;
/** One that has not been heard of for this long has ended without a word. */
const GONE_AFTER_MS = 15_000;

/** A file per gateway in `DATA_DIR/gateways`, touched every five seconds. */
export function createPresence(dataDir: string): Presence {
  const directory = join(dataDir, "gateways");
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const id = randomUUID();
  const file = join(directory, id);
  const touch = (): void => writeFileSync(file, "", { mode: 0o600 });
  touch();
  const beat = setInterval(() => {
    try {
      touch();
    } catch {
      // A directory that went away is for whoever writes to the database to find out.
    }
  }, BEAT_MS);
  beat.unref();

  return {
    id,
    others() {
      let alive = 0;
      for (const name of readdirSync(directory)) {
        if (name === id) continue;
        const other = join(directory, name);
        const seen = statSync(other, { throwIfNoEntry: false })?.mtimeMs ?? 0;
        if (Date.now() - seen < GONE_AFTER_MS) alive += 1;
        else rmSync(other, { force: true });
      }
      return alive;
    },
    close() {
      clearInterval(beat);
      rmSync(file, { force: true });
    },
  };
}
