import { createDatabase, type LocalDatabase } from "@quota/local-postgres";
import { openPostgres, type PostgresDatabase, type PostgresOptions } from "../src/index.js";

/** A database for one test, and the handles on it. */
export interface Scratch {
  readonly database: LocalDatabase;
  /** One more handle, as another process would have it. */
  open(options?: Partial<PostgresOptions>): Promise<PostgresDatabase>;
  /** Makes it as empty as it was, for the next of many tests. */
  empty(): Promise<void>;
  remove(): Promise<void>;
}

export async function scratch(serverUrl: string): Promise<Scratch> {
  const database = await createDatabase(serverUrl);
  const handles: PostgresDatabase[] = [];
  return {
    database,
    async open(options) {
      const db = await openPostgres({ url: database.url, timeoutMs: 20_000, ...options });
      handles.push(db);
      return db;
    },
    async empty() {
      await database.query(`
        DO $$ BEGIN EXECUTE (
          SELECT 'TRUNCATE ' || string_agg(tablename, ', ') FROM pg_tables
          WHERE schemaname = 'public' AND tablename <> 'schema_migrations'
        ); END $$`);
    },
    async remove() {
      await Promise.all(handles.map((db) => db.close()));
      await database.drop();
    },
  };
}
