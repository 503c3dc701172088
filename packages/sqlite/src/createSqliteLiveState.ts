import type { EpochMs } from "@quota/core";
import { LATENCY_KEPT_MS, LATENCY_SAMPLES, leniently, type LiveState, type Logger } from "@quota/engine";
import type { Database } from "better-sqlite3";
import { groupCommit } from "./groupCommit.js";
import type { QuotaDatabase } from "./openQuotaDatabase.js";

export interface SqliteLiveStateOptions {
  /** Hears, once a second at most, that the file could not be read or written, under the scope `quota:live`. */
  readonly logger?: Logger | undefined;
}

/**
 * Keeps what is known of deployments in `live_minutes`, `live_cooldowns` and `live_latencies`, for every process on the file. What is
 * reported together is written in one transaction. Nothing depends on it: what a loss of power takes is learnt again.
 *
 * @example
 * const live = createSqliteLiveState(db, { logger });
 */
export function createSqliteLiveState(db: QuotaDatabase, { logger }: SqliteLiveStateOptions = {}): LiveState {
  const statements = prepareStatements(db.connection);
  const lenient = leniently({ logger, scope: "quota:live", what: "What is known of deployments" });
  const writes = groupCommit<() => unknown, unknown>(db, {
    what: "live state",
    run: (job) => ({ answer: job() }),
  });
  const write = async <Answer>(job: () => Answer): Promise<Answer | undefined> =>
    (await lenient(() => writes.add(job))) as Answer | undefined;

  return {
    async recordFailure(id, { allowed, cooldownMs }, now) {
      if (!(allowed >= 1)) return;
      await write(() => {
        if (raise({ id, counted: "failures", by: 1 }, now) >= allowed)
          statements.coolDown.run(id, now + cooldownMs);
      });
    },

    cooled: (ids, now) => present(ids, (id) => statements.cooled.get(id, now)),

    async addLatency(id, ms, now) {
      if (!isAmount(ms)) return;
      await write(() => {
        const samples = [...samplesOf(id), [now, ms] as const].sort(([a], [b]) => a - b);
        statements.keepSamples.run(id, JSON.stringify(samples.slice(-LATENCY_SAMPLES)));
      });
    },

    latencies: (ids, now) =>
      present(ids, (id) => {
        const recent = samplesOf(id).filter(([at]) => at > now - LATENCY_KEPT_MS);
        if (recent.length === 0) return undefined;
        return recent.reduce((total, [, ms]) => total + ms, 0) / recent.length;
      }),

    async addUsage(id, tokens, now) {
      if (isAmount(tokens)) await write(() => raise({ id, counted: "usage", by: tokens }, now));
    },

    usages: (ids, now) => present(ids, (id) => statements.count.get(id, "usage", minuteOf(now))),

    hitRpm: (id, now) => write(() => raise({ id, counted: "requests", by: 1 }, now)),

    hitTpm: (id, tokens, now) =>
      write(() => raise({ id, counted: "tokens", by: isAmount(tokens) ? tokens : 0 }, now)),
  };

  function raise(
    { id, counted, by }: { readonly id: string; readonly counted: Counted; readonly by: number },
    now: EpochMs,
  ): number {
    const minute = minuteOf(now);
    const count = statements.raise.get(id, counted, minute, by) ?? by;
    // The first of a minute takes away what nobody asks for any more.
    if (count === by) statements.dropOld.run(id, counted, minute - KEPT_MINUTES * MINUTE_MS);
    return count;
  }

  /** Samples that somebody has damaged are none. */
  function samplesOf(id: string): readonly Sample[] {
    const text = statements.samples.get(id);
    if (text === undefined) return [];
    try {
      const found: unknown = JSON.parse(text);
      return Array.isArray(found) ? found.filter(isSample) : [];
    } catch {
      return [];
    }
  }

  async function present<Value>(
    ids: readonly string[],
    find: (id: string) => Value | undefined,
  ): Promise<ReadonlyMap<string, Value>> {
    const found = await lenient(async () => {
      const values = new Map<string, Value>();
      for (const id of ids) {
        const value = find(id);
        if (value !== undefined) values.set(id, value);
      }
      return values;
    });
    return found ?? new Map<string, Value>();
  }
}

type Counted = "failures" | "usage" | "requests" | "tokens";

type Sample = readonly [at: EpochMs, ms: number];

const MINUTE_MS = 60_000;

/** Neighbours' clocks differ: what they count in the minute before is not taken from them. */
const KEPT_MINUTES = 2;

function minuteOf(now: EpochMs): EpochMs {
  return Math.floor(now / MINUTE_MS) * MINUTE_MS;
}

function isAmount(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value) && value >= 0;
}

function isSample(value: unknown): value is Sample {
  return Array.isArray(value) && value.length === 2 && isAmount(value[0]) && isAmount(value[1]);
}

function prepareStatements(connection: Database) {
  return {
    raise: connection
      .prepare<[string, Counted, number, number], number>(
        `INSERT INTO live_minutes (id, counted, minute, amount) VALUES (?, ?, ?, ?)
         ON CONFLICT (id, counted, minute) DO UPDATE SET amount = amount + excluded.amount RETURNING amount`,
      )
      .pluck(),
    dropOld: connection.prepare("DELETE FROM live_minutes WHERE id = ? AND counted = ? AND minute < ?"),
    count: connection
      .prepare<[string, Counted, number], number>(
        "SELECT amount FROM live_minutes WHERE id = ? AND counted = ? AND minute = ?",
      )
      .pluck(),
    coolDown: connection.prepare(
      `INSERT INTO live_cooldowns (id, ends_at) VALUES (?, ?)
       ON CONFLICT (id) DO UPDATE SET ends_at = max(ends_at, excluded.ends_at)`,
    ),
    cooled: connection
      .prepare<[string, number], number>("SELECT ends_at FROM live_cooldowns WHERE id = ? AND ends_at > ?")
      .pluck(),
    samples: connection.prepare<[string], string>("SELECT samples FROM live_latencies WHERE id = ?").pluck(),
    keepSamples: connection.prepare(
      `INSERT INTO live_latencies (id, samples) VALUES (?, ?)
       ON CONFLICT (id) DO UPDATE SET samples = excluded.samples`,
    ),
  };
}
