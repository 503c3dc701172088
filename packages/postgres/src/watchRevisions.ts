import type { Logger } from "@quota/engine";
import { Client, type Pool } from "pg";
import { CHANNEL } from "./postgresTransaction.js";

/** Sees that topics have changed, whoever changed them. */
export interface RevisionWatch {
  watch(topic: string, look: () => void | Promise<void>): () => void;
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
  const looks = new Map<string, Set<() => void | Promise<void>>>();
  let seen: ReadonlyMap<string, string> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let listener: Client | undefined;
  let reading: Promise<void> | undefined;
  let readAgain = false;
  let isLost = false;
  let isStopped = false;

  return {
    watch(topic, look) {
      const all = looks.get(topic) ?? new Set();
      looks.set(topic, all.add(look));
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
    reading ??= readAll().finally(() => (reading = undefined));
  }

  async function readAll(): Promise<void> {
    while (readAgain && !isStopped) {
      readAgain = false;
      try {
        const { rows } = await pool.query<{ topic: string; revision: string }>(
          "SELECT topic, revision FROM quota_revisions",
        );
        isLost = false;
        await tell(new Map(rows.map(({ topic, revision }) => [topic, revision])));
      } catch (err) {
        note(err);
      }
    }
  }

  async function tell(found: ReadonlyMap<string, string>): Promise<void> {
    const before = seen;
    seen = found;
    for (const [topic, all] of looks)
      if (before === undefined || before.get(topic) !== found.get(topic))
        for (const look of all) await look();
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
