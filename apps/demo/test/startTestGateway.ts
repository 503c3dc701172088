import type { DimensionSpec } from "@quota/core";
import type { UsageJson } from "@quota/http";
import pino from "pino";
import { onTestFinished } from "vitest";
import { openSqliteStorage } from "../server/openSqliteStorage.js";
import { readSettings, type Settings } from "../server/readSettings.js";
import type { ProviderSimulator } from "../server/simulator/createProviderSimulator.js";
import { startGateway, type Gateway, type GatewayOptions } from "../server/startGateway.js";
import { temporaryDirectory } from "./temporaryDirectory.js";

const ADMIN_TOKEN = "the-admin-token-of-the-tests";

/** A gateway as it starts for a newcomer, on a free port, with its own simulator. */
export interface TestGateway extends Gateway {
  readonly provider: ProviderSimulator;
  /** What was logged, line by line. */
  readonly logged: readonly string[];
  /** Asks as a client; `key` is `alice`, `bob`, `carol` or a secret. */
  ask(key: string, asked?: Asked): Promise<Response>;
  /** Asks as the admin, with JSON. */
  admin(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Response>;
  plan(dimensions: readonly DimensionSpec[]): Promise<void>;
  /** Of the pool on `kimi-demo`, unless another connection is named. */
  usage(connectionId?: string): Promise<SeenUsage>;
  poolOf(connectionId: string): Promise<{ readonly id: string; readonly version: number }>;
  /** Resolves when no lease is open: what was answered has been settled. */
  quiet(): Promise<void>;
}

export interface Asked {
  readonly path?: string;
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
  readonly signal?: AbortSignal;
}

interface SeenPool {
  readonly id: string;
  readonly connectionId: string;
  readonly version: number;
}

export type SeenUsage = Pick<UsageJson, "dimensions">;

/** A moment from which windows are far from their ends. */
const NOON = Date.UTC(2026, 0, 15, 12, 5);

export async function startTestGateway({
  dataDir = temporaryDirectory(),
  settings = {},
  now = () => NOON,
  openStorage = openSqliteStorage,
  openRedis,
  webDirectory,
}: {
  readonly dataDir?: string;
  readonly settings?: Partial<Settings>;
  readonly now?: () => number;
  readonly openStorage?: GatewayOptions["openStorage"];
  readonly openRedis?: GatewayOptions["openRedis"];
  readonly webDirectory?: string;
} = {}): Promise<TestGateway> {
  const logged: string[] = [];
  const gateway = await startGateway({
    settings: {
      ...readSettings({ PORT: "0", LOG_LEVEL: "silent" }),
      dataDir,
      adminToken: ADMIN_TOKEN,
      // Tests that are about waiting say so.
      waitUpToMs: 0,
      ...settings,
    },
    openStorage,
    openRedis,
    webDirectory,
    log: pino({ level: "debug", errorKey: "error" }, { write: (line) => void logged.push(line) }),
    clock: { now },
  });
  onTestFinished(() => gateway.stop(0));

  const admin: TestGateway["admin"] = (method, path, body, headers = {}) =>
    fetch(gateway.url + path, {
      method,
      headers: {
        authorization: `Bearer ${ADMIN_TOKEN}`,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });

  const poolOf: TestGateway["poolOf"] = async (connectionId) => {
    const pools = (await (await admin("GET", "/api/quota/pools")).json()) as SeenPool[];
    return pools.find((pool) => pool.connectionId === connectionId)!;
  };

  return {
    ...gateway,
    provider: gateway.simulator!,
    logged,
    admin,
    ask: (key, { path = "/v1/chat/completions", body = QUESTIONS[path], headers = {}, signal } = {}) =>
      fetch(gateway.url + path, {
        method: "POST",
        headers: {
          authorization: `Bearer ${key.startsWith("sk-") ? key : `sk-demo-${key}`}`,
          "content-type": "application/json",
          ...headers,
        },
        body: typeof body === "string" ? body : JSON.stringify(body),
        redirect: "manual",
        ...(signal === undefined ? {} : { signal }),
      }),
    async plan(dimensions) {
      const answer = await admin("PUT", "/api/quota/plans/kimi-demo", { dimensions });
      if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()} ${logged.join("")}`);
    },
    poolOf,
    async usage(connectionId = "kimi-demo") {
      const answer = await admin("GET", `/api/quota/pools/${(await poolOf(connectionId)).id}/usage`);
      return (await answer.json()) as SeenUsage;
    },
    async quiet() {
      while (gateway.engine.status().openLeases > 0) await new Promise((resolve) => setImmediate(resolve));
    },
  };
}

const QUESTIONS: Readonly<Record<string, unknown>> = {
  "/v1/chat/completions": { model: "m", messages: [{ role: "user", content: "Say hi" }] },
  "/v1/responses": { model: "m", input: "Say hi" },
  "/v1/messages": { model: "m", max_tokens: 4096, messages: [{ role: "user", content: "Say hi" }] },
  "/v1/messages/count_tokens": { model: "m", messages: [{ role: "user", content: "Say hi" }] },
  "/v1/embeddings": { model: "m", input: "Say hi" },
};
