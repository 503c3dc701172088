import { freePort, startGuarded, type Guarded } from "@quota/local-programs";
import { execFile, execFileSync, type ExecFileException } from "node:child_process";
import { chown, mkdir, mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { Client } from "pg";
import { findPostgres } from "./findPostgres.js";
import { unpackPostgres } from "./unpackPostgres.js";

/** A private server on loopback, with one role `postgres` that needs no password. */
export interface PostgresServer {
  readonly port: number;
  /** Of its database `postgres`, where nothing is kept; `createDatabase` makes others. */
  readonly url: string;
  /** Ends it as a crash does: every connection is cut, and what was not written ahead is lost. */
  kill(): Promise<void>;
  /** Starts it again on the same port and data, after {@link kill}. */
  start(): Promise<void>;
  /** Keeps the server from accepting; connections that there are go on. */
  pause(): void;
  resume(): void;
  /** Ends it and takes its directory away. Safe to call twice. */
  stop(): Promise<void>;
}

export interface PostgresServerOptions {
  /** Whether a commit waits for the disk, as it does by default in every other server. Default false: nobody's data is here, and tests are in a hurry. */
  readonly durable?: boolean | undefined;
  /** More of what stands in `postgresql.conf`. */
  readonly settings?: Readonly<Record<string, string>> | undefined;
}

/**
 * Starts a server of one's own, with its data in a temporary directory. It ends with this process, however that ends. PostgreSQL does not run as root:
 * where this process does, the server is nobody's.
 *
 * @throws {Error} with what the server wrote, when it does not answer.
 * @example
 * const server = await startPostgres();
 * const database = await createDatabase(server.url);
 */
export async function startPostgres({
  durable = false,
  settings = {},
}: PostgresServerOptions = {}): Promise<PostgresServer> {
  const programs = findPostgres();
  if (programs === undefined)
    throw new Error("There is no PostgreSQL on this machine. Install it: apt-get install postgresql.");
  const port = await freePort();
  const directory = await mkdtemp(join(tmpdir(), "quota-postgres-"));
  const user = process.getuid?.() === 0 ? nobody() : undefined;
  const bin = await unpackPostgres(programs, directory);
  const data = join(directory, "data");
  await mkdir(data, { mode: 0o700 });
  if (user) for (const path of [directory, data]) await chown(path, user.uid, user.gid);
  const guarded = (command: readonly string[]): Promise<Guarded> =>
    startGuarded(command, { directory, user, endWith: "QUIT" });

  const all = { ...SETTINGS, ...(durable ? {} : IN_A_HURRY), port: String(port), ...settings };
  const command = [
    join(bin, "postgres"),
    ...["-D", data],
    ...Object.entries(all).flatMap(([name, value]) => ["-c", `${name}=${value}`]),
  ];
  const url = `postgres://postgres@127.0.0.1:${String(port)}/postgres`;
  let running: Guarded | undefined;
  let stopped = false;

  const server: PostgresServer = {
    port,
    url,
    async kill() {
      await running?.end("keep the directory");
      running = undefined;
    },
    async start() {
      running = await guarded(command);
      await answering(url, running);
    },
    pause: () => running?.signal("SIGSTOP"),
    resume: () => running?.signal("SIGCONT"),
    async stop() {
      if (stopped) return;
      stopped = true;
      running?.signal("SIGCONT");
      // Whoever takes the directory away is the guard.
      running ??= await guarded(["true"]);
      await running.end("remove the directory");
    },
  };
  try {
    await initialise(join(bin, "initdb"), { data, user });
    await server.start();
  } catch (error) {
    await server.stop();
    throw error;
  }
  return server;
}

const SETTINGS = {
  listen_addresses: "127.0.0.1",
  unix_socket_directories: "",
  max_connections: "200",
  // In the data directory, so that nothing is left behind by whatever way it ends.
  dynamic_shared_memory_type: "mmap",
  log_min_messages: "fatal",
  jit: "off",
  wal_level: "minimal",
  max_wal_senders: "0",
};

const IN_A_HURRY = { fsync: "off", full_page_writes: "off", autovacuum: "off" };

function nobody(): { readonly uid: number; readonly gid: number } {
  const ask = (what: string): number => Number(execFileSync("id", [what, "nobody"], { encoding: "utf8" }));
  return { uid: ask("-u"), gid: ask("-g") };
}

async function initialise(
  initdb: string,
  {
    data,
    user,
  }: { readonly data: string; readonly user: { readonly uid: number; readonly gid: number } | undefined },
): Promise<void> {
  const args = ["-D", data, "-U", "postgres", "--auth=trust", "--no-sync", "--no-locale", "-E", "UTF8"];
  try {
    await promisify(execFile)(initdb, args, { ...user, cwd: data });
  } catch (cause) {
    throw new Error(`initdb failed: ${(cause as ExecFileException).stderr ?? ""}`, { cause });
  }
}

/** Waits until the server answers; a server that has ended will not. */
async function answering(url: string, { ended, written }: Guarded): Promise<void> {
  const giveUpAt = performance.now() + 20_000;
  const over = { value: false };
  void ended.then(() => (over.value = true));
  for (;;) {
    const client = new Client({ connectionString: url });
    // What comes after the answer is nothing to us.
    client.on("error", () => undefined);
    try {
      await client.connect();
      return;
    } catch (cause) {
      if (over.value || performance.now() > giveUpAt)
        throw new Error(`The PostgreSQL server at ${url} does not answer. ${written()}`, { cause });
    } finally {
      await client.end();
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
