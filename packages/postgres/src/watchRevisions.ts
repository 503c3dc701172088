import type { Logger } from "@quota/engine";
import { Client, type Pool } from "pg";
import { CHANNEL } from "./postgresTransaction.js";

type Look = () => void | Promise<void>;

/** Sees that topics have changed, whoever changed them. */
export interface RevisionWatch {
  watch(topic: string, look: Look): () => void;
  stop(): Promise<void>;
}

export interface RevisionWatchOptions {
  readonly pool: Pool;
  readonly url: string;
  readonly place: string;
  /** How often revisions are read where nothing is heard. */
  readonly everyMs: number;
  readonly connectTimeoutMs: number;
  readonly logger?: Logger | undefined;
}

/**
 * Listens for notifications on a connection of its own, which is made anew when it is lost, and reads the revisions every `everyMs` as well: a
 * notification may be lost with a connection, and a proxy that shares connections between clients passes none on.
 */
export function watchRevisions(options: RevisionWatchOptions): RevisionWatch {
  const { pool, place, everyMs, logger } = options;
  /** By topic who looks, each with the revision that it has seen; undefined: none yet. */
  const looks = new Map<string, Map<Look, string | undefined>>();
  let timer: NodeJS.Timeout | undefined;
  let listener: Client | undefined;
  let reading: Promise<void> | undefined;
  let readAgain = false;
  let isLost = false;
  let isStopped = false;

  return {
    watch(topic, look) {
      const all = looks.get(topic) ?? new Map<Look, string | undefined>();
      looks.set(topic, all.set(look, undefined));
      if (timer === undefined) {
        timer = setInterval(tick, everyMs).unref();
        tick();
      }
      return () => void all.delete(look);
    },

    async stop() {
      isStopped = true;
      clearInterval(timer);
      looks.clear();
      const last = listener;
      listener = undefined;
      await reading;
      await last?.end();
    },
  };

  function tick(): void {
    if (listener === undefined) void listen();
    kick();
  }

  /** Reads the revisions soon; what is asked while they are being read is one more reading. */
  function kick(): void {
    readAgain = true;
    reading ??= readAll();
  }

  async function readAll(): Promise<void> {
    while (readAgain && !isStopped) {
      readAgain = false;
      try {
        const { rows } = await pool.query<{ topic: string; revision: string }>(
          "SELECT topic, revision FROM quota_revisions",
        );
        if (await tell(new Map(rows.map(({ topic, revision }) => [topic, revision])))) isLost = false;
      } catch (err) {
        note(err);
      }
    }
    reading = undefined;
  }

  /** Whether everybody could look. */
  async function tell(found: ReadonlyMap<string, string>): Promise<boolean> {
    let isWell = true;
    for (const [topic, all] of looks) {
      // A topic that was never changed has no row.
      const revision = found.get(topic) ?? "0";
      for (const [look, seen] of all)
        if (seen !== revision)
          try {
            await look();
            // Only now: who could not look is told again by the next reading. Who was stopped meanwhile is not.
            if (all.has(look)) all.set(look, revision);
          } catch (err) {
            isWell = false;
            note(err);
          }
    }
    return isWell;
  }

  function note(err: unknown): void {
    if (!isLost && !isStopped)
      logger?.warn(
        { scope: "quota:postgres", place, err },
        "It could not be seen whether pools, plans or settings have changed; what was seen last is used.",
      );
    isLost = true;
  }

  async function listen(): Promise<void> {
    const client = new Client({
      connectionString: options.url,
      connectionTimeoutMillis: options.connectTimeoutMs,
      keepAlive: true,
    });
    listener = client;
    // The next tick makes another one.
    const lose = (): void => {
      if (listener === client) listener = undefined;
    };
    client.on("error", lose);
    client.on("end", lose);
    client.on("notification", kick);
    try {
      await client.connect();
      await client.query(`LISTEN ${CHANNEL}`);
      // What was said between the last reading and this is not heard again.
      kick();
    } catch (err) {
      note(err);
      lose();
      await client.end();
    }
  }
}
