import type { Migrations } from "@quota/postgres";
import gatewaySql from "./migrations/0001-gateway.sql";

/** The gateway's own tables in a PostgreSQL database. */
export const POSTGRES_MIGRATIONS: Migrations = {
  namespace: "gateway",
  migrations: [{ number: 1, name: "0001-gateway", sql: gatewaySql }],
};
