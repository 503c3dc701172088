import type { Logger } from "pino";
import { createAbsentStore } from "./createAbsentStore.js";
import { copyCounters, type CountedStore, type CountersCopy } from "./copyCounters.js";
import { createSwitchingStore } from "./createSwitchingStore.js";
import type { OpenedRedis } from "./openedRedis.js";
import { probeStep } from "./probeStep.js";
import type { QuotaStore, QuotaStoreStatus, StoreChange } from "./quotaStore.js";
import { redisFault } from "./redisFault.js";
import { saidBy } from "./saidBy.js";
import { StoreChangeRefused } from "./storeChangeRefused.js";
import type { StoreSettings } from "./storeSettings.js";
import { tryDatabase, tryRedis } from "./tryStore.js";

export interface QuotaStoreParts {
  readonly sqlite: CountedStore;
  readonly settings: StoreSettings;
  /** Connects and asks, and rejects within two seconds or so if there is no answer. */
  readonly openRedis: (url: string, onWarning: (warning: string) => void) => Promise<OpenedRedis>;
  /** How many gateways share the store. */
  readonly replicas: number;
  /** How many other gateways run on this data directory. */
  readonly neighbours: () => number;
  readonly clock: { now(): number };
  readonly log: Logger;
  /** How often a Redis that does not answer is asked again. */
  readonly retryMs?: number | undefined;
}

const NO_ADDRESS = "has no address; set QUOTA_STORE_REDIS_URL, or PUT /api/settings/quota-store";
const NOT_WRITTEN = "The live counters could not be carried over, or the setting not be written";

const SCOPE = { scope: "quota:factory" };

/**
 * Chooses the store: the setting in the database, then the environment, then SQLite. One gateway that is to count in Redis and cannot counts in
 * SQLite until Redis answers, and takes what it has counted along. One of several does not, since each would grant the whole limit: it
 * counts nothing until then.
 */
export async function createStore(parts: QuotaStoreParts): Promise<QuotaStore> {
  const { sqlite, settings, openRedis, replicas, neighbours, clock, log, retryMs = 1_000 } = parts;
  const isAlone = replicas === 1;
  let asked = await settings.read();
  let redis: OpenedRedis | undefined;
  let missing: string | undefined;
  let failing = false;
  let lastError: QuotaStoreStatus["lastError"];
  let retry: NodeJS.Timeout | undefined;
  let closed = false;
  /** Changes and attempts, one after the other. */
  let turn: Promise<unknown> = Promise.resolve();
  let probe: Promise<boolean> | undefined;

  const absent = createAbsentStore(() => missing ?? "The quota store is away.");
  const store = createSwitchingStore(sqlite.store, {
    worked: () => (failing = false),
    failed(error) {
      failing = true;
      note(error);
    },
  });

  function warn(warning: string): void {
    log.warn(SCOPE, warning);
  }

  function troubled(trouble: { readonly said: string }, sentence: string): void {
    log.warn({ ...SCOPE, ...trouble }, sentence);
  }

  function note(error: unknown): void {
    lastError = {
      at: clock.now(),
      said: store.current === sqlite.store ? "The database does not answer." : `Redis ${redisFault(error)}.`,
    };
  }

  function inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const mine = turn.then(work);
    turn = mine.catch((error: unknown) => error);
    return mine;
  }

  /** Moves to another store; `commit` is the last thing that can fail. */
  async function moveTo(
    target: CountedStore | "absent",
    commit: () => Promise<void> = async () => undefined,
  ): Promise<void> {
    const source = serving();
    let copy: CountersCopy | undefined;
    await store.switchTo(target === "absent" ? absent : target.store, async () => {
      if (isAlone && target !== "absent" && source !== undefined && source !== target)
        copy = await copyCounters({ from: source, to: target.store }, clock.now());
      try {
        await commit();
      } catch (error) {
        await copy?.undo();
        throw error;
      }
    });
    failing = false;
    try {
      await copy?.finish();
    } catch (error) {
      log.warn(
        { ...SCOPE, ...saidBy(error) },
        "What was carried over to the new quota store is still in the old one; empty that before it is used again.",
      );
    }
  }

  function serving(): CountedStore | undefined {
    if (store.current === sqlite.store) return sqlite;
    return store.current === absent ? undefined : redis;
  }

  /** @returns what stands in the way; undefined when Redis counts. */
  async function useRedis(url: string): Promise<Error | undefined> {
    let opened: OpenedRedis | undefined;
    try {
      opened = await openRedis(url, warn);
      await moveTo(opened);
      redis = opened;
      return undefined;
    } catch (error) {
      await opened?.close();
      lastError = { at: clock.now(), said: `Redis ${redisFault(error)}.` };
      return error instanceof Error ? error : new Error(String(error));
    }
  }

  async function begin(): Promise<void> {
    if (asked.driver === "sqlite") return;
    const error = asked.redisUrl === undefined ? undefined : await useRedis(asked.redisUrl);
    if (error === undefined && asked.redisUrl !== undefined) return;
    const fault = error === undefined ? NO_ADDRESS : redisFault(error);
    const until = error === undefined ? "until it has" : "until it does";
    missing = isAlone
      ? `The quota store is to be Redis, which ${fault}; SQLite counts ${until}.`
      : `The quota store is to be Redis, which ${fault}; with QUOTA_REPLICAS ${replicas} nothing else may count, so requests are answered as whenStoreFails says ${until}.`;
    log.warn({ ...SCOPE, ...(error !== undefined && saidBy(error)) }, missing);
    if (!isAlone) await moveTo("absent");
    tryLater();
  }

  function tryLater(): void {
    const url = asked.redisUrl;
    if (closed || url === undefined || missing === undefined || asked.driver === "sqlite") return;
    retry = setTimeout(() => void inTurn(() => tryAgain(url)), retryMs);
    retry.unref();
  }

  async function tryAgain(url: string): Promise<void> {
    if (closed || missing === undefined || asked.redisUrl !== url) return;
    if ((await useRedis(url)) !== undefined) return tryLater();
    missing = undefined;
    log.info(SCOPE, "Redis answers and counts from now on.");
  }

  async function change({ driver, redisUrl, takesEffect }: StoreChange): Promise<void> {
    const persist = (): Promise<void> => settings.write({ driver, redisUrl });
    if (takesEffect === "next-start") return persist();
    const url = await urlAfter(redisUrl);
    if (driver === asked.driver && (driver === "sqlite" || url === asked.redisUrl) && missing === undefined) {
      await persist();
      asked = await settings.read();
      return;
    }
    if (driver === "redis") {
      if (url === undefined)
        throw new StoreChangeRefused("Give redisUrl: no address of a Redis is configured.");
      refuseCrowd();
      await changeToRedis(url, persist);
    } else {
      if (store.current !== sqlite.store) refuseCrowd();
      await changeToSqlite(persist);
    }
    clearTimeout(retry);
    missing = undefined;
    asked = await settings.read();
    log.info({ ...SCOPE, driver }, "The quota store was changed.");
  }

  async function changeToRedis(url: string, persist: () => Promise<void>): Promise<void> {
    const before = redis;
    let opened: OpenedRedis | undefined;
    try {
      opened = await openRedis(url, warn);
      await moveTo(opened, persist);
    } catch (cause) {
      await opened?.close();
      throw refusal(opened === undefined ? `Redis ${redisFault(cause)}` : NOT_WRITTEN, cause);
    }
    redis = opened;
    await before?.close();
  }

  async function changeToSqlite(persist: () => Promise<void>): Promise<void> {
    try {
      if (store.current === sqlite.store) await persist();
      else await moveTo(sqlite, persist);
    } catch (cause) {
      throw refusal(NOT_WRITTEN, cause);
    }
    await redis?.close();
    redis = undefined;
  }

  function refusal(what: string, cause: unknown): StoreChangeRefused {
    log.warn({ ...SCOPE, ...saidBy(cause) }, "The quota store was not changed.");
    return new StoreChangeRefused(
      `${what}; nothing was changed. With "takesEffect": "next-start" it is written down for the next start, which begins at zero there.`,
      { cause },
    );
  }

  /** Others would go on counting where they do, and grant what is granted here once more. */
  function refuseCrowd(): void {
    if (store.current === absent) return;
    const others = neighbours();
    if (isAlone && others === 0) return;
    const crowd = isAlone
      ? `${others === 1 ? "Another gateway runs" : `${others} other gateways run`} on this data directory, or did until a moment ago`
      : `QUOTA_REPLICAS is ${replicas}`;
    throw new StoreChangeRefused(
      `${crowd}, and all gateways must change together. Stop the others first, or send "takesEffect": "next-start" to each and start them all again.`,
    );
  }

  async function urlAfter(redisUrl: string | null | undefined): Promise<string | undefined> {
    if (redisUrl === null) return settings.environmentUrl;
    return redisUrl ?? (await settings.read()).redisUrl;
  }

  await begin();
  return {
    store,
    clock: { now: () => (store.current === redis?.store ? redis.clock : clock).now() },
    status() {
      const counting = serving();
      return {
        asked,
        serving: counting === undefined ? "none" : counting === sqlite ? "sqlite" : "redis",
        state: missing !== undefined ? "degraded" : failing ? "failing" : "ok",
        reason: missing ?? (failing ? lastError?.said : undefined),
        lastError,
      };
    },
    works() {
      probe ??= store.transact(probeStep(clock.now())).then(
        () => true,
        () => false,
      );
      void probe.then(() => (probe = undefined));
      return probe;
    },
    redis: () => (store.current === redis?.store ? redis : undefined),
    change: (asking) => inTurn(() => change(asking)),
    async test({ driver, redisUrl }) {
      if (driver === "sqlite") return tryDatabase(sqlite.store, clock.now(), troubled);
      const url = await urlAfter(redisUrl);
      if (url === undefined)
        return { works: false, reason: "Give redisUrl: no address of a Redis is configured." };
      return tryRedis(() => openRedis(url, warn), troubled);
    },
    async close() {
      closed = true;
      clearTimeout(retry);
      await turn;
      await store.close();
      await redis?.close();
    },
  };
}
