export { startPostgres } from "./startPostgres.js";
export type { PostgresServer, PostgresServerOptions } from "./startPostgres.js";
export { createDatabase } from "./createDatabase.js";
export type { LocalDatabase } from "./createDatabase.js";
