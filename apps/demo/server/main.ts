import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { QuotaConfigError } from "@quota/core";
import { QuotaDatabaseError } from "@quota/sqlite";
import pino from "pino";
import { bannerOf } from "./bannerOf.js";
import { backupSqliteStorage, openSqliteStorage } from "./openSqliteStorage.js";
import { openPostgresStorage } from "./postgres/openPostgresStorage.js";
import { openRedis } from "./quotaStore/openRedis.js";
import { readSettings, type Settings } from "./readSettings.js";
import { startPrivateRedis } from "./startPrivateRedis.js";
import { startGateway, type GatewayOptions } from "./startGateway.js";
import { StartError } from "./startError.js";

// The only file that reads the environment, picks adapters, and ends the process.
// What it writes (the database, copies of it, secrets) is for its owner alone.
process.umask(0o077);
try {
  const [command, file] = process.argv.slice(2);
  if (command === undefined) await serve();
  else if (command === "--redis" && file === undefined) await serveFromRedis();
  else if (command === "backup" && file !== undefined) await backup(file);
  else throw new StartError("Usage: pnpm demo, pnpm demo --redis, or pnpm demo backup FILE.");
} catch (error) {
  const isWorded =
    error instanceof StartError || error instanceof QuotaDatabaseError || error instanceof QuotaConfigError;
  console.error(isWorded ? error.message : error);
  process.exitCode = 1;
}

/** Counts in the Redis that is given, or in a private one, which ends with this process. */
async function serveFromRedis(): Promise<void> {
  const given = readSettings(process.env).storeRedisUrl;
  const url = given ?? (await startPrivateRedis()).url;
  await serve({ QUOTA_STORE_DRIVER: "redis", QUOTA_STORE_REDIS_URL: url });
}

async function serve(more: Readonly<Record<string, string>> = {}): Promise<void> {
  const settings = readSettings({ ...process.env, ...more });
  const log = pino(
    { level: settings.logLevel, errorKey: "error", base: null, timestamp: pino.stdTimeFunctions.isoTime },
    pino.destination(2),
  );
  const gateway = await startGateway({
    settings,
    openStorage: storageOf(settings),
    openRedis,
    // Beside this file, once both are built.
    webDirectory: fileURLToPath(new URL("./web/", import.meta.url)),
    log,
  });
  let stoppingSince: number | undefined;
  const stop = (): void => {
    // One Ctrl-C may arrive twice: from the terminal, and from the script runner above us.
    if (stoppingSince !== undefined && performance.now() - stoppingSince < 1_000) return;
    if (stoppingSince === undefined)
      log.info("stopping: new requests are refused, streams may finish; once more, and they are cut off");
    stoppingSince ??= performance.now();
    gateway.stop().then(
      () => process.exit(0),
      (error: unknown) => {
        log.error({ error }, "the gateway did not stop cleanly");
        process.exit(1);
      },
    );
  };
  process.on("SIGTERM", stop);
  process.on("SIGINT", stop);
  console.log(bannerOf(gateway));
}

function storageOf({ databaseUrl, secretsKey }: Settings): GatewayOptions["openStorage"] {
  if (databaseUrl === undefined || secretsKey === undefined) return openSqliteStorage;
  return (options) => openPostgresStorage({ ...options, url: databaseUrl, secretsKey });
}

async function backup(file: string): Promise<void> {
  const { dataDir, databaseUrl } = readSettings(process.env);
  const copy = resolve(file);
  await backupSqliteStorage({ dataDir, file: copy });
  console.log(
    databaseUrl === undefined
      ? `Wrote ${copy}. It holds pools, plans, hashed keys and use; upstream secrets stay in ${resolve(dataDir)}/secrets.`
      : `Wrote ${copy}. It holds what this machine has counted; keep the rest with pg_dump.`,
  );
}
