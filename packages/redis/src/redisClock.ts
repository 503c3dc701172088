import type { EpochMs } from "@quota/core";
import { positiveWhole } from "./positiveWhole.js";
import { primariesOf } from "./primariesOf.js";
import type { RedisClient } from "./redisClient.js";
import { storeFault } from "./storeFault.js";
import { within } from "./within.js";

/** The time of the server, as this process follows it. */
export interface RedisClock {
  /** Whole milliseconds since 1970; never earlier than it has answered before. */
  now(): EpochMs;
  /** How far the server was found to be ahead of this machine's own clock, in ms. */
  readonly aheadMs: number;
  /** Asks the server again, now. */
  synchronise(): Promise<void>;
  /** Stops asking. The clock goes on. Safe to call twice. */
  close(): void;
}

export interface RedisClockOptions {
  /** How often the server is asked (default: every 30 s). */
  readonly everyMs?: number | undefined;
  /** How long to wait for it (default 2000 ms). */
  readonly timeoutMs?: number | undefined;
}

/** Of so many readings the one with the shortest way is taken. */
const READINGS = 3;

/**
 * Follows the server's clock (in a cluster, that of the primary whose address comes first), so that all who share a store choose the same bucket, whatever their own clocks say. Between the
 * questions it goes on by this process's monotone clock, which nobody can set; an error of half a round trip remains. If
 * the server cannot be asked again, it goes on as it was.
 *
 * @throws {QuotaConfigError} for an option out of range. @throws {StoreError} when the server cannot be asked the first time.
 * @example
 * const clock = await redisClock(redis);
 * const engine = createQuotaEngine({ store, pools, plans, clock });
 */
export async function redisClock(redis: RedisClient, options: RedisClockOptions = {}): Promise<RedisClock> {
  const everyMs = positiveWhole("everyMs", options.everyMs ?? 30_000);
  const timeoutMs = positiveWhole("timeoutMs", options.timeoutMs ?? 2_000);
  let latest = 0;
  let offset = await best(redis, timeoutMs);
  const synchronise = async (): Promise<void> => {
    offset = await best(redis, timeoutMs);
  };
  const timer = setInterval(() => {
    void synchronise().catch(goOnAsBefore);
  }, everyMs);
  timer.unref();

  return {
    now() {
      latest = Math.max(latest, Math.floor(performance.now() + offset));
      return latest;
    },
    get aheadMs() {
      return Math.round(performance.now() + offset - Date.now());
    },
    synchronise,
    close: () => clearInterval(timer),
  };
}

/** What is added to the monotone clock for the server's time. */
async function best(redis: RedisClient, timeoutMs: number): Promise<number> {
  let shortest = Infinity;
  let offset = 0;
  for (let i = 0; i < READINGS; i += 1) {
    const asked = performance.now();
    const serverMs = await within(timeOf(redis), timeoutMs).catch((cause: unknown) => {
      throw storeFault(cause, "stayed");
    });
    const answered = performance.now();
    if (answered - asked >= shortest) continue;
    shortest = answered - asked;
    // The server looked at its clock somewhere on the way: half of it is the least that one can be wrong by.
    offset = serverMs - (asked + answered) / 2;
  }
  return offset;
}

async function timeOf(redis: RedisClient): Promise<number> {
  // A cluster would ask any of its servers, whose clocks may differ: everybody asks the same one.
  const [server] = primariesOf(redis);
  if (server === undefined) throw new Error("No primary of the cluster is known");
  const [seconds, microseconds] = (await server.call("time")) as readonly [string, string];
  const ms = Number(seconds) * 1000 + Number(microseconds) / 1000;
  if (Number.isFinite(ms) && ms > 1_000_000_000_000) return ms;
  throw new Error(`Redis says that it is ${seconds}.${microseconds}`);
}

function goOnAsBefore(): void {
  // What is wrong with the server is said by the steps that need it.
}
