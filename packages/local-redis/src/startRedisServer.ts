import { freePort, startGuarded, type Guarded } from "@quota/local-programs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { askRedis } from "./askRedis.js";

/** A private server on loopback. */
export interface RedisServer {
  readonly port: number;
  /** `redis://127.0.0.1:<port>` */
  readonly url: string;
  /** Sends one command over a connection of its own. An error reply rejects. */
  ask(...command: readonly string[]): Promise<string>;
  /** Keeps the process from running: it accepts, and never answers. */
  pause(): void;
  resume(): void;
  /** Ends the process at once; what it had in memory is lost unless it was told to append. */
  kill(): Promise<void>;
  /** Starts it again on the same port and directory, after {@link kill}. */
  start(): Promise<void>;
  /** Ends the process and takes its directory away. Safe to call twice. */
  stop(): Promise<void>;
}

export interface RedisServerOptions {
  /** The program (default `redis-server`). */
  readonly program?: string | undefined;
  /** More of what stands in `redis.conf`, such as `["--maxmemory", "2mb"]`. */
  readonly settings?: readonly string[] | undefined;
  /** Default: one that is free. */
  readonly port?: number | undefined;
}

/**
 * Starts a server of one's own: loopback only, in a temporary directory, nothing written to disk unless `settings` say so. It ends
 * with this process, however that ends.
 *
 * @throws {Error} with what the server wrote, when it does not answer.
 * @example
 * const server = await startRedisServer();
 * console.log(await server.ask("PING"));
 * await server.stop();
 */
export async function startRedisServer(options: RedisServerOptions = {}): Promise<RedisServer> {
  const { program = "redis-server", settings = [] } = options;
  const port = options.port ?? (await freePort());
  const directory = await mkdtemp(join(tmpdir(), "quota-redis-"));
  const command = [
    program,
    ...["--port", String(port), "--bind", "127.0.0.1", "--dir", directory],
    ...["--save", "", "--appendonly", "no", "--daemonize", "no", "--loglevel", "warning"],
    ...settings,
  ];
  let running: Guarded | undefined;
  let stopped = false;

  const server: RedisServer = {
    port,
    url: `redis://127.0.0.1:${String(port)}`,
    ask: (...words) => askRedis(port, words),
    pause: () => running?.signal("SIGSTOP"),
    resume: () => running?.signal("SIGCONT"),
    async kill() {
      await running?.end("keep the directory");
      running = undefined;
    },
    async start() {
      running = await startGuarded(command, { directory });
      await answering(port, running);
    },
    async stop() {
      if (stopped) return;
      stopped = true;
      // Whoever takes the directory away is the guard.
      running ??= await startGuarded(["true"], { directory });
      await running.end("remove the directory");
    },
  };
  try {
    await server.start();
  } catch (error) {
    await server.stop();
    throw error;
  }
  return server;
}

/** Waits until the server answers; a server that has ended will not. */
async function answering(port: number, { ended, written }: Guarded): Promise<void> {
  const giveUpAt = performance.now() + 20_000;
  const over = { value: false };
  void ended.then(() => (over.value = true));
  for (;;) {
    try {
      await askRedis(port, ["PING"]);
      return;
    } catch (cause) {
      // A password is asked for, or a dataset is being loaded: it is there.
      if (cause instanceof Error && cause.message.includes("NOAUTH")) return;
      if (over.value || performance.now() > giveUpAt)
        throw new Error(`The Redis server on port ${String(port)} does not answer. ${written()}`, { cause });
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
