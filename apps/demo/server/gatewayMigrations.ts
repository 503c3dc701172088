import type { Migrations } from "@quota/sqlite";
import apiKeysSql from "./migrations/0001-api-keys.sql";
import connectionsSql from "./migrations/0002-connections.sql";
import ratePlanSql from "./migrations/0003-rate-plan.sql";
import sessionsSql from "./migrations/0004-sessions.sql";
import keyOrdinalsSql from "./migrations/0005-key-ordinals.sql";
import connectionPricesSql from "./migrations/0006-connection-prices.sql";

/** The gateway's own tables in a SQLite file. */
export const GATEWAY_MIGRATIONS: Migrations = {
  namespace: "gateway",
  migrations: [
    { number: 1, name: "0001-api-keys", sql: apiKeysSql },
    { number: 2, name: "0002-connections", sql: connectionsSql },
    { number: 3, name: "0003-rate-plan", sql: ratePlanSql },
    { number: 4, name: "0004-sessions", sql: sessionsSql },
    { number: 5, name: "0005-key-ordinals", sql: keyOrdinalsSql },
    { number: 6, name: "0006-connection-prices", sql: connectionPricesSql },
  ],
};
