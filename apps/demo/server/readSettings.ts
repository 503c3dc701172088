import { isIP } from "node:net";
import { whenStoreFailsOf, type WhenStoreFails } from "@quota/core";
import { baseUrlProblem } from "./baseUrl.js";
import { fitsHeader } from "./fitsHeader.js";
import { rangeProblem, type NumberRange } from "./numberRange.js";
import { redisUrlProblem } from "./quotaStore/redisUrl.js";
import { STORE_DRIVERS, type StoreDriver } from "./quotaStore/storeSettings.js";
import { SHARING_NUMBERS, type SharingName } from "./sharingSettings/sharingNumbers.js";
import { StartError } from "./startError.js";

/** What the environment says, parsed. Every number is in range; a variable that is empty counts as not set. */
export interface Settings {
  readonly host: string;
  /** 0 takes a free port. */
  readonly port: number;
  /** Names under which a proxy in front is reached; lower-case. */
  readonly publicHosts: readonly string[];
  readonly dataDir: string;
  /** Undefined: one is generated and kept in the data directory. */
  readonly adminToken: string | undefined;
  readonly logLevel: LogLevel;
  /** How long streams may go on after the gateway was told to stop. */
  readonly shutdownGraceMs: number;
  /** The first connection; undefined: the built-in simulator. */
  readonly upstream: UpstreamSettings | undefined;
  /** A PostgreSQL database for everything but counters; undefined: the file in the data directory. May hold a password. */
  readonly databaseUrl: string | undefined;
  /** What secrets in that database are sealed with; there where it is. */
  readonly secretsKey: string | undefined;
  /** Undefined: not said, which means sqlite. */
  readonly storeDriver: StoreDriver | undefined;
  /** May hold a password. */
  readonly storeRedisUrl: string | undefined;
  /** Where spend waits for the ledger. Undefined: where the quota store is at the start. */
  readonly spendQueue: StoreDriver | undefined;
  readonly replicas: number;
  /** For pools that do not say. */
  readonly whenStoreFails: WhenStoreFails;
  /** Undefined, as the next two: not said. The database goes before them. */
  readonly saturationThreshold: number | undefined;
  readonly softDeprioritizeFactor: number | undefined;
  readonly consumptionRetentionDays: number | undefined;
  /** How long the details of spend are kept. Totals, groups and budgets do not need them. */
  readonly spendRetentionDays: number;
  readonly leaseMs: number;
  readonly bodyLimitBytes: number;
  /** How long a refusal that is about to clear is held instead. */
  readonly waitUpToMs: number;
  /** How long the upstream may take until its headers, and between two pieces of its body. */
  readonly upstreamTimeoutMs: number;
}

export interface UpstreamSettings {
  readonly baseUrl: string;
  readonly apiKey: string | undefined;
  readonly provider: string;
}

type LogLevel = (typeof LOG_LEVELS)[number];

const LOG_LEVELS = ["fatal", "error", "warn", "info", "debug", "trace", "silent"] as const;

/**
 * Reads the environment. What is out of range is named, with what it may be; nothing is coerced.
 *
 * @throws {StartError} one sentence per variable that is wrong, all of them at once.
 */
export function readSettings(env: Readonly<Record<string, string | undefined>>): Settings {
  const faults: string[] = [];
  const { text, number, word } = readers(env, faults);
  const sharing = (name: SharingName): number | undefined => {
    const { variable, least, most } = SHARING_NUMBERS[name];
    return number(variable, { fallback: undefined, least, most });
  };

  const settings: Settings = {
    host: text("HOST") ?? "127.0.0.1",
    port: number("PORT", { fallback: 8787, least: 0, most: 65_535, whole: true }),
    publicHosts: publicHostsIn({ text, faults }),
    dataDir: text("DATA_DIR") ?? ".data",
    adminToken: adminTokenIn({ text, faults }),
    logLevel: word("LOG_LEVEL", LOG_LEVELS, "info"),
    shutdownGraceMs: 1000 * number("SHUTDOWN_GRACE_S", { fallback: 600, least: 0, most: 86_400 }),
    upstream: upstreamIn({ text, faults }),
    ...databaseIn({ text, faults }),
    storeDriver: word("QUOTA_STORE_DRIVER", STORE_DRIVERS, undefined),
    storeRedisUrl: redisUrlIn({ text, faults }),
    spendQueue: word("QUOTA_SPEND_QUEUE", STORE_DRIVERS, undefined),
    replicas: number("QUOTA_REPLICAS", { fallback: 1, least: 1, most: 10_000, whole: true }),
    whenStoreFails: policyIn({ text, faults }),
    saturationThreshold: sharing("saturationThreshold"),
    softDeprioritizeFactor: sharing("softDeprioritizeFactor"),
    consumptionRetentionDays: sharing("consumptionRetentionDays"),
    spendRetentionDays: number("QUOTA_SPEND_RETENTION_DAYS", { fallback: 90, least: 1, most: 36_500 }),
    leaseMs: number("QUOTA_LEASE_MS", { fallback: 600_000, least: 1_000, most: 86_400_000, whole: true }),
    bodyLimitBytes: 1_048_576 * number("BODY_LIMIT_MB", { fallback: 20, least: 1, most: 1024, whole: true }),
    waitUpToMs: 1000 * number("QUOTA_WAIT_S", { fallback: 10, least: 0, most: 600 }),
    upstreamTimeoutMs: 1000 * number("UPSTREAM_TIMEOUT_S", { fallback: 600, least: 1, most: 86_400 }),
  };
  if (faults.length > 0) throw new StartError(faults.join("\n"));
  return settings;
}

function readers(env: Readonly<Record<string, string | undefined>>, faults: string[]) {
  const text = (name: string): string | undefined => {
    const value = env[name]?.trim();
    return value === "" ? undefined : value;
  };
  return {
    text,
    number<Fallback extends number | undefined>(
      name: string,
      { fallback, ...range }: NumberRange & { readonly fallback: Fallback },
    ): number | Fallback {
      const written = text(name);
      if (written === undefined) return fallback;
      const value = Number(written);
      const problem = rangeProblem(value, range);
      if (problem === undefined) return value;
      faults.push(`${name} is "${written}"; it ${problem}`);
      return fallback;
    },
    word<Word extends string, Fallback extends Word | undefined>(
      name: string,
      words: readonly Word[],
      fallback: Fallback,
    ): Word | Fallback {
      const written = text(name);
      if (written === undefined) return fallback;
      const found = words.find((each) => each === written);
      if (found === undefined) faults.push(`${name} is "${written}"; it must be one of ${words.join(", ")}.`);
      return found ?? fallback;
    },
  };
}

interface Readers {
  readonly text: (name: string) => string | undefined;
  readonly faults: string[];
}

function upstreamIn({ text, faults }: Readers): UpstreamSettings | undefined {
  const baseUrl = text("UPSTREAM_BASE_URL");
  const apiKey = text("UPSTREAM_API_KEY");
  const provider = text("UPSTREAM_PROVIDER");
  if (baseUrl === undefined) {
    for (const [name, value] of Object.entries({ UPSTREAM_API_KEY: apiKey, UPSTREAM_PROVIDER: provider }))
      if (value !== undefined) faults.push(`${name} is set without UPSTREAM_BASE_URL; set both, or neither.`);
    return undefined;
  }
  const problem = baseUrlProblem(baseUrl);
  if (problem !== undefined) faults.push(`UPSTREAM_BASE_URL ${problem}`);
  if (apiKey !== undefined && !fitsHeader(apiKey))
    faults.push("UPSTREAM_API_KEY must be one line of characters that fit a header.");
  if (provider !== undefined && provider.length > 64)
    faults.push("UPSTREAM_PROVIDER must have at most 64 characters.");
  return { baseUrl, apiKey, provider: provider ?? "openai" };
}

function publicHostsIn({ text, faults }: Readers): readonly string[] {
  const hosts = (text("QUOTA_PUBLIC_HOSTS") ?? "")
    .split(",")
    .map((host) => host.trim().toLowerCase())
    .filter((host) => host !== "");
  for (const host of hosts)
    if (!isHostName(host))
      faults.push(
        `QUOTA_PUBLIC_HOSTS has "${host}"; it must be names of hosts separated by commas, such as quota.example.com, without a scheme, a port or a wildcard.`,
      );
  return hosts;
}

function isHostName(host: string): boolean {
  const label = "[a-z0-9](?:[a-z0-9_-]{0,61}[a-z0-9])?";
  return (
    isIP(host.replace(/^\[(.*)\]$/u, "$1")) !== 0 || new RegExp(`^${label}(?:\\.${label})*$`, "u").test(host)
  );
}

function policyIn({ text, faults }: Readers): WhenStoreFails {
  const written = text("QUOTA_WHEN_STORE_FAILS") ?? "allow";
  const budget = /^budget:(.+)$/u.exec(written)?.[1];
  const policy = whenStoreFailsOf(budget === undefined ? written : { budget: Number(budget) });
  if (policy === undefined)
    faults.push(
      `QUOTA_WHEN_STORE_FAILS is "${written}"; it must be one of allow, deny, last-known, or budget:0.01 with a part of the limit above 0 and up to 1.`,
    );
  return policy ?? "allow";
}

function databaseIn({ text, faults }: Readers): Pick<Settings, "databaseUrl" | "secretsKey"> {
  const databaseUrl = text("QUOTA_DATABASE_URL");
  const secretsKey = text("QUOTA_SECRETS_KEY");
  if (databaseUrl === undefined) return { databaseUrl, secretsKey };
  if (!/^postgres(?:ql)?:\/\//u.test(databaseUrl) || !URL.canParse(databaseUrl))
    faults.push("QUOTA_DATABASE_URL must be an address such as postgres://user:password@host:5432/database.");
  if (secretsKey === undefined)
    faults.push(
      "QUOTA_DATABASE_URL needs QUOTA_SECRETS_KEY, with which the secrets of connections are sealed there; set it to what `openssl rand -base64 32` prints, the same in every gateway.",
    );
  else if (secretsKey.length < SHORTEST_PASSPHRASE)
    faults.push(
      `QUOTA_SECRETS_KEY must be 32 bytes in base64, as \`openssl rand -base64 32\` prints them, or a passphrase of at least ${SHORTEST_PASSPHRASE} characters.`,
    );
  return { databaseUrl, secretsKey };
}

const SHORTEST_PASSPHRASE = 16;

function redisUrlIn({ text, faults }: Readers): string | undefined {
  const url = text("QUOTA_STORE_REDIS_URL");
  const problem = url === undefined ? undefined : redisUrlProblem(url);
  if (problem !== undefined) faults.push(`QUOTA_STORE_REDIS_URL ${problem}`);
  return url;
}

/** A token that no `Authorization: Bearer …` can carry would lock everybody out. */
function adminTokenIn({ text, faults }: Readers): string | undefined {
  const token = text("QUOTA_ADMIN_TOKEN");
  if (token !== undefined && !/^[!-~]+$/u.test(token))
    faults.push("QUOTA_ADMIN_TOKEN must be one word of printable ASCII characters.");
  return token;
}
