import { spawnDemo, type DemoProcess } from "../spawnDemo.js";

/** One gateway, in one process after the other. */
export interface TortureGateway {
  /** Undefined while it is not there. */
  readonly url: string | undefined;
  start(): Promise<void>;
  /** By SIGKILL: it does not get to do anything more. */
  kill(): Promise<void>;
  /** Asks as the admin. */
  admin(method: string, path: string, body?: unknown): Promise<Record<string, unknown>>;
  /** What it has written to its log since it was started. */
  said(): string;
}

/** How long a hold outlives its process: longer than any round, as it would be where requests take minutes. */
export const TORTURE_LEASE_MS = 120_000;

const TOKEN = "the-admin-token-of-the-torture";

export function tortureGateway(main: string, env: Readonly<Record<string, string>>): TortureGateway {
  let running: DemoProcess | undefined;
  let url: string | undefined;
  return {
    get url() {
      return url;
    },
    async start() {
      running = spawnDemo(main, {
        env: {
          ...env,
          QUOTA_ADMIN_TOKEN: TOKEN,
          QUOTA_WAIT_S: "0",
          QUOTA_LEASE_MS: String(TORTURE_LEASE_MS),
          LOG_LEVEL: "warn",
        },
      });
      url = await running.ready;
    },
    async kill() {
      url = undefined;
      running?.child.kill("SIGKILL");
      await running?.ended;
    },
    async admin(method, path, body) {
      const answer = await fetch(`${url!}${path}`, {
        method,
        headers: { authorization: `Bearer ${TOKEN}`, "content-type": "application/json" },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const text = await answer.text();
      if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
      return JSON.parse(text) as Record<string, unknown>;
    },
    said: () => running?.stderr() ?? "",
  };
}
