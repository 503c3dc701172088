import { randomBytes } from "node:crypto";
import { Client } from "pg";

/** A database of a server, for one test. */
export interface LocalDatabase {
  readonly name: string;
  readonly url: string;
  /** Runs statements over a connection of its own; the rows of the last one that gives any. */
  query(sql: string, values?: readonly unknown[]): Promise<readonly Record<string, unknown>[]>;
  /** Cuts whoever is connected to it, and takes it away. */
  drop(): Promise<void>;
}

/**
 * Makes an empty database on the server that this URL is of, or a copy of another one that nobody is connected to.
 *
 * @example
 * const database = await createDatabase(server.url);
 */
export async function createDatabase(serverUrl: string, template = "template0"): Promise<LocalDatabase> {
  const name = `quota_${randomBytes(6).toString("hex")}`;
  await ask(serverUrl, `CREATE DATABASE ${name} TEMPLATE ${template}`);
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return {
    name,
    url: url.href,
    query: (sql, values) => ask(url.href, sql, values),
    async drop() {
      await ask(serverUrl, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
    },
  };
}

async function ask(
  url: string,
  sql: string,
  values?: readonly unknown[],
): Promise<readonly Record<string, unknown>[]> {
  const client = new Client({ connectionString: url });
  // A server that is stopped says so to every connection, which then has its own way to report it.
  client.on("error", () => undefined);
  await client.connect();
  try {
    const results = await client.query<Record<string, unknown>>(sql, values && [...values]);
    // Several statements at once have several results.
    const all = Array.isArray(results) ? (results as (typeof results)[]) : [results];
    return all.findLast(({ rows }) => rows.length > 0)?.rows ?? [];
  } finally {
    await client.end();
  }
}
