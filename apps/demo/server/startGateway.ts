import { lookup } from "node:dns/promises";
import { existsSync, mkdirSync, statSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { isIP, type AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { dirname, resolve } from "node:path";
import {
  createQuotaEngine,
  createRateAdmission,
  createWaitingRoom,
  startRetention,
  startSpendFlusher,
  withBudgets,
  withRatePlan,
  type EngineStatus,
  type QuotaEngine,
} from "@quota/engine";
import { quotaOf } from "@quota/express";
import type { Logger } from "pino";
import { Agent } from "undici";
import { keptAdminToken } from "./adminAuth.js";
import { configHashes } from "./config/configHashes.js";
import { createReplicaWatch } from "./config/createReplicaWatch.js";
import type { Connection } from "./connections.js";
import { createDecisionLog } from "./decisions/createDecisionLog.js";
import { createShadowTally } from "./decisions/createShadowTally.js";
import { databaseFault } from "./databaseFault.js";
import { firstStart } from "./firstStart.js";
import { createGatewayApp } from "./gatewayApp.js";
import { createHealthCheck } from "./health.js";
import { createInFlight } from "./inFlight.js";
import { createMetrics } from "./metrics.js";
import { createPresence } from "./quotaStore/createPresence.js";
import { createStore, type QuotaStoreParts } from "./quotaStore/createStore.js";
import { createStoreSettings } from "./quotaStore/storeSettings.js";
import { outageRisks } from "./outageRisk.js";
import type { Settings } from "./readSettings.js";
import { createSharingSettings } from "./sharingSettings/createSharingSettings.js";
import { createAttempts } from "./session/attempts.js";
import { createHostCheck } from "./session/hostCheck.js";
import { createSignInCode } from "./session/signInCode.js";
import { createLoginWatch } from "./signals/createLoginWatch.js";
import { createUsageEndpoints } from "./signals/createUsageEndpoints.js";
import { feedSignals } from "./signals/feedSignals.js";
import { isSimulated } from "./simulated.js";
import { createProviderSimulator, type ProviderSimulator } from "./simulator/createProviderSimulator.js";
import { budgetedConfig } from "./spend/budgetedConfig.js";
import { createBudgetDesk } from "./spend/createBudgetDesk.js";
import { createPriceBook } from "./spend/createPriceBook.js";
import { createRedisSpend } from "./spend/createRedisSpend.js";
import { createSpendDesk } from "./spend/createSpendDesk.js";
import { createSpendHealth } from "./spend/createSpendHealth.js";
import { createSpendIntake } from "./spend/createSpendIntake.js";
import { createUpstreamWatch } from "./spend/createUpstreamWatch.js";
import { hasRedisClient } from "./spend/hasRedisClient.js";
import { openRedisSpend } from "./spend/openRedisSpend.js";
import { startSpendRetention } from "./spend/startSpendRetention.js";
import { sharedCautions } from "./sharedCautions.js";
import { StartError } from "./startError.js";
import type { Storage } from "./storage.js";
import { createTraffic } from "./traffic/createTraffic.js";
import { createUpstreamSecrets } from "./upstreamAuth.js";

/** A gateway that answers. */
export interface Gateway {
  /** Such as `http://127.0.0.1:8787`. */
  readonly url: string;
  readonly dataDir: string;
  readonly onLoopback: boolean;
  /** Undefined where the token came from the environment. */
  readonly adminTokenFile: string | undefined;
  readonly adminToken: string;
  /** Opens the dashboard, signed in, once. */
  readonly signInLink: string;
  readonly connections: readonly Connection[];
  /** The demo keys that are good for something here. */
  readonly demoKeys: readonly string[];
  readonly simulator: ProviderSimulator | undefined;
  readonly engine: QuotaEngine;
  /**
   * Refuses new requests, lets streams finish for at most `graceMs`, settles what is cut off, and closes everything. Asked again
   * while they finish, it cuts them off.
   */
  stop(graceMs?: number): Promise<void>;
}

export interface GatewayOptions {
  readonly settings: Settings;
  /** Which adapters: for `main.ts` (and tests) to say. */
  readonly openStorage: (options: { readonly dataDir: string; readonly logger: Logger }) => Promise<Storage>;
  /** Connects to a Redis. Default: none is there. */
  readonly openRedis?: QuotaStoreParts["openRedis"] | undefined;
  /** Where the built pages are. Default: they were not built. */
  readonly webDirectory?: string | undefined;
  readonly log: Logger;
  /** This machine's. While Redis counts, its server's time goes before it. */
  readonly clock?: { now(): number } | undefined;
}

/** Opens the storage, fills it at the first start, and listens. @throws {StartError} in one sentence. */
export async function startGateway({
  settings,
  openStorage,
  openRedis = noRedis,
  webDirectory,
  log,
  clock: machineClock = { now: Date.now },
}: GatewayOptions): Promise<Gateway> {
  const dataDir = resolve(settings.dataDir);
  const { address, onLoopback } = await addressOf(settings.host);
  makeDirectory(dataDir);
  const closing: (() => Promise<unknown>)[] = [];
  const closeAll = async (): Promise<void> => {
    for (const close of closing.reverse()) await close();
  };

  try {
    const storage = await openStorage({ dataDir, logger: log });
    closing.push(() => storage.close());
    const { pools, plans, keys, teams, organisations, forest, connections } = storage;
    const sharing = await createSharingSettings({ storage, environment: settings, logger: log });
    closing.push(() => sharing.close());
    const presence = createPresence(dataDir);
    closing.push(async () => presence.close());
    const storeSettings = createStoreSettings({
      settings: storage.settings,
      secrets: storage.secretSettings,
      environment: { driver: settings.storeDriver, redisUrl: settings.storeRedisUrl },
    });
    const quotaStore = await createStore({
      sqlite: storage,
      settings: storeSettings,
      openRedis,
      replicas: settings.replicas,
      neighbours: () => presence.others(),
      clock: machineClock,
      log,
    });
    closing.push(() => quotaStore.close());
    const { store, clock } = quotaStore;
    for (const caution of sharedCautions({
      shared: storage.shared,
      settings,
      driver: quotaStore.status().asked.driver,
    }))
      log.warn(caution);

    /** The address at which spend waits, where it does not in a file of this machine: until the next start, whatever is set meanwhile. */
    async function redisForSpend(): Promise<string | undefined> {
      const { driver, redisUrl } = quotaStore.status().asked;
      if ((settings.spendQueue ?? driver) !== "redis") return undefined;
      const isThere = await hasRedisClient();
      if (redisUrl !== undefined && isThere) return redisUrl;
      if (settings.spendQueue === undefined) return undefined;
      throw new StartError(
        isThere
          ? "QUOTA_SPEND_QUEUE is redis; set QUOTA_STORE_REDIS_URL, too."
          : "QUOTA_SPEND_QUEUE is redis; install ioredis beside the gateway.",
      );
    }

    const note = await firstStart(storage, { upstream: settings.upstream, now: clock.now() });
    if (note !== undefined) log.warn(note);
    const kept = settings.adminToken === undefined ? keptAdminToken(dataDir) : undefined;
    const adminToken = settings.adminToken ?? kept!.token;

    const simulator = connections.list().some(({ baseUrl }) => isSimulated(baseUrl))
      ? createProviderSimulator({ clock: () => machineClock.now() })
      : undefined;
    const simulatorUrl = simulator === undefined ? undefined : (await simulator.listen()).baseUrl;
    if (simulator !== undefined) closing.push(() => simulator.close());
    const dispatcher = new Agent({ connect: { timeout: 10_000 } });
    closing.push(() => dispatcher.destroy());

    const providerOf = (id: string): string | undefined => connections.get(id)?.provider;
    const { whenStoreFails } = settings;
    const secrets = createUpstreamSecrets();
    const logins = createLoginWatch();
    const metrics = createMetrics();
    metrics.watchQuotaStore(quotaStore);
    const engine = metrics.watchEngine(
      createQuotaEngine({
        store: metrics.watchStore(store),
        pools,
        plans,
        providerOf,
        signalSource: createUsageEndpoints({
          connections,
          secrets,
          simulatorUrl,
          dispatcher,
          now: clock.now,
          log,
        }),
        clock,
        logger: log,
        saturationThreshold: () => sharing.now("saturationThreshold"),
        leaseMs: settings.leaseMs,
        whenStoreFails,
        replicas: settings.replicas,
      }),
    );
    closing.push(() => engine.close());
    const rates = createRateAdmission({
      store: metrics.watchStore(store),
      async loadPlan(_id, revision) {
        const planted = await forest.newest();
        if (planted.revision >= revision || !(await replicaWatch.isNobodys(revision))) return planted;
        await forest.adopt(revision);
        log.warn(
          { scope: "quota:rates", revision },
          "The ledger of limits per minute knew a newer revision of them, and nobody who has it is there; those in this database are in force.",
        );
        return forest.latest();
      },
      clock,
      logger: log,
    });
    const { ledger, budgets } = storage.spend;
    const spendUrl = await redisForSpend();
    const { queue, live } =
      spendUrl === undefined
        ? storage.spend
        : createRedisSpend({ open: () => openRedisSpend(spendUrl, log), now: machineClock.now });
    if (spendUrl !== undefined) {
      closing.push(() => queue.close());
      storage.syncLedger?.();
    }
    const budgetDesk = createBudgetDesk({ budgets, now: clock.now });
    const config = budgetedConfig(storage.config, { budgets, budgetDesk, now: clock.now });
    const flusher = startSpendFlusher({ queue, ledger, clock, logger: log });
    closing.push(async () => {
      // What is still in the queue would be there at the next start, too.
      await flusher.flush();
      await flusher.stop();
    });
    // What waits in this machine's file while Redis is away, and what a start before this one has left there.
    const spare = spendUrl === undefined ? undefined : storage.spend.queue;
    const spareFlusher =
      spare && startSpendFlusher({ queue: spare, ledger, clock, logger: log, idleMs: 3_600_000 });
    closing.push(async () => {
      await spareFlusher?.flush();
      await spareFlusher?.stop();
    });
    const intake = createSpendIntake({
      queue,
      onQueued: () => flusher.kick(),
      spare: spare && { queue: spare, onQueued: () => spareFlusher?.kick() },
      now: clock.now,
      log,
    });
    closing.push(() => intake.close());
    const spendHealth = createSpendHealth({ queue, flusher, intake });
    metrics.watchSpend(spendHealth, clock.now);
    const budgeted = withBudgets({ engine, budgets, leaseMs: settings.leaseMs, clock, logger: log });
    closing.push(() => budgeted.close());
    const upstreams = createUpstreamWatch({ live, now: clock.now });
    const desk = createSpendDesk({
      keys,
      book: createPriceBook(),
      intake,
      budgeted,
      upstreams,
      ledger,
      queue,
      now: clock.now,
      log,
    });
    const rated = withRatePlan({
      engine: budgeted,
      rates,
      planOf: ({ apiKeyId }) => forest.askedBy(apiKeyId),
      logger: log,
    });
    closing.push(() => rated.close());
    const status = (): EngineStatus => {
      const { storeFailure = rates.status().storeFailure, ...rest } = engine.status();
      return { ...rest, storeFailure };
    };
    const decisions = createDecisionLog(clock);
    const shadows = createShadowTally(pools, clock);
    const waitingRoom = shadows.watchRoom(
      decisions.watchRoom(metrics.watchRoom(createWaitingRoom({ engine: rated, clock }))),
    );
    const retentionDays = (): number => sharing.now("consumptionRetentionDays");
    const retention = startRetention({ store, retentionDays, clock, logger: log });
    closing.push(() => retention.stop());
    const spendRetention = startSpendRetention({
      ledger,
      queue,
      detailDays: settings.spendRetentionDays,
      clock,
      logger: log,
    });
    closing.push(() => spendRetention.stop());
    sharing.watch("consumptionRetentionDays", () => void retention.sweep());
    const replicaWatch = createReplicaWatch({
      id: presence.id,
      quotaStore,
      replicas: settings.replicas,
      async own() {
        const { leaseMs, replicas } = settings;
        const saturationThreshold = sharing.now("saturationThreshold");
        const read = await config.read();
        const hashes = configHashes(read, { leaseMs, saturationThreshold, replicas, whenStoreFails });
        return { hashes, ratePlanRevision: read.ratePlanRevision, database: storage.shared?.id };
      },
      adopt: (revision) => forest.adopt(revision),
    });
    closing.push(() => replicaWatch.close());
    // Others hear of this one before anybody is sent to it.
    await replicaWatch.compare();
    const inFlight = createInFlight();
    const signInCode = createSignInCode(clock.now);
    const changed = (connectionId: string): void => {
      secrets.forget(connectionId);
      logins.forget(connectionId);
    };
    const traffic =
      onLoopback && simulator !== undefined
        ? createTraffic({ gatewayUrl: () => url, simulator, connections, keys, pools, log })
        : undefined;
    const app = createGatewayApp({
      engine,
      waitingRoom,
      pools,
      plans,
      keys,
      teams,
      organisations,
      forest,
      rates,
      connections,
      secrets,
      forgetSecret: changed,
      onAnswer: feedSignals({ engine, logins, now: clock.now, log }),
      simulatorUrl,
      dispatcher,
      upstreamTimeoutMs: settings.upstreamTimeoutMs,
      bodyLimitBytes: settings.bodyLimitBytes,
      waitUpToMs: settings.waitUpToMs,
      hosts: createHostCheck({ host: settings.host, onLoopback, publicHosts: settings.publicHosts }),
      adminToken,
      sessions: storage.sessionsOf(adminToken),
      signInCode,
      attempts: createAttempts(clock.now),
      webDirectory,
      inFlight,
      desk,
      ledger,
      spendQueue: queue,
      flusher,
      spendHealth,
      budgetDesk,
      upstreams,
      metrics,
      quotaStore,
      traffic,
      sharing,
      decisions,
      shadows,
      logins,
      config,
      reload: async () => {
        await Promise.all([pools.list(), plans.list(), forest.newest()]);
        await replicaWatch.announce();
        for (const { id } of connections.list()) changed(id);
      },
      health: createHealthCheck({
        engine: { status },
        touch: () => storage.touch(),
        outlivesDatabase: storage.shared !== undefined,
        integrity: () => storage.integrity(),
        quotaStore,
        compare: () => replicaWatch.compare(),
        risks: () => outageRisks({ pools, plans, providerOf, whenStoreFails, replicas: settings.replicas }),
        spend: () => spendHealth.reasons(),
        logins: () => logins.needed().map(({ reason }) => reason),
        isStopping: () => inFlight.isStopping(),
        now: clock.now,
      }),
      backup: (file) => storage.backup(file),
      now: clock.now,
      log,
    });

    // A client that dribbles its headers or its body holds a socket no longer than this; answers may take as long as they like.
    const server = createServer(
      { headersTimeout: 30_000, requestTimeout: 120_000, keepAliveTimeout: 65_000 },
      app,
    );
    const port = await listen(server, { host: settings.host, address, port: settings.port });
    const url = `http://${isIP(settings.host) === 6 ? `[${settings.host}]` : settings.host}:${port}`;

    let stopped: Promise<void> | undefined;
    const stop = async (graceMs: number): Promise<void> => {
      await traffic?.close();
      const cutOff = await inFlight.stop(graceMs);
      if (cutOff.length > 0)
        log.warn({ streams: cutOff.length }, "the grace is over: what still streams is cut off");
      // It is we who break these off, after the provider has worked for them: they cost what was estimated.
      for (const response of cutOff) if (response.headersSent) quotaOf(response)?.report({});
      server.close();
      server.closeAllConnections();
      await settled(engine);
      await closeAll();
    };
    return {
      url,
      dataDir,
      onLoopback,
      adminTokenFile: kept?.path,
      adminToken,
      signInLink: `${url}/dashboard/sign-in#code=${signInCode.text}`,
      connections: connections.list(),
      demoKeys: onLoopback
        ? keys.list().flatMap(({ id, loopbackOnly, disabled }) => (loopbackOnly && !disabled ? [id] : []))
        : [],
      simulator,
      engine,
      stop(graceMs = settings.shutdownGraceMs) {
        if (stopped !== undefined) inFlight.hurry();
        return (stopped ??= stop(graceMs));
      },
    };
  } catch (error) {
    await closeAll();
    throw databaseFault(error, dataDir);
  }
}

async function addressOf(host: string): Promise<{ readonly address: string; readonly onLoopback: boolean }> {
  try {
    const { address } = await lookup(host);
    return { address, onLoopback: address === "::1" || address.startsWith("127.") };
  } catch (cause) {
    throw new StartError(`HOST is "${host}", which is no address of this machine; 127.0.0.1 is one.`, {
      cause,
    });
  }
}

async function noRedis(): Promise<never> {
  throw new Error("this gateway was built without Redis");
}

function makeDirectory(dataDir: string): void {
  try {
    // Node's recursive way never returns where the parent is there and takes no directories (/proc).
    mkdirSync(dataDir, { recursive: !existsSync(dirname(dataDir)), mode: 0o700 });
  } catch (cause) {
    if (codeOf(cause) === "EEXIST" && statSync(dataDir).isDirectory()) return;
    throw new StartError(
      `DATA_DIR ${dataDir} cannot be made (${codeOf(cause)}); name a directory that this user may write.`,
      { cause },
    );
  }
}

function listen(
  server: Server,
  { host, address, port }: { readonly host: string; readonly address: string; readonly port: number },
): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", (cause) => {
      const code = codeOf(cause);
      reject(
        new StartError(
          code === "EADDRINUSE"
            ? `Port ${port} on ${host} is taken; stop what listens there or set PORT.`
            : `The gateway cannot listen on ${host}:${port} (${code}); set HOST and PORT to what this user may use.`,
          { cause },
        ),
      );
    });
    server.listen(port, address, () => resolve((server.address() as AddressInfo).port));
  });
}

/** What was cut off settles by itself; nobody waits for that longer than a moment. */
async function settled(engine: QuotaEngine): Promise<void> {
  for (let tries = 0; tries < 250 && engine.status().openLeases > 0; tries += 1) await sleep(20);
}

function codeOf(error: unknown): string {
  return String((error as NodeJS.ErrnoException).code ?? error);
}
