import { join } from "node:path";
import { createSqlitePlanOverrides, createSqlitePoolDirectory } from "@quota/sqlite";
import { createApiKeys, type ApiKeys } from "../server/apiKeys.js";
import { createConfig, type Config } from "../server/config/createConfig.js";
import { createConnections, type Connections } from "../server/connections.js";
import { createOrganisations, type Organisations } from "../server/organisations.js";
import { createRateForest, type RateForest } from "../server/rateForest.js";
import { createSecretFiles } from "../server/secretFiles.js";
import { createSqliteSessionRows } from "../server/session/createSqliteSessionRows.js";
import type { SessionRows } from "../server/session/sessionRows.js";
import { createSqliteTables } from "../server/tables/createSqliteTables.js";
import type { GatewayTables } from "../server/tables/gatewayTables.js";
import { createTeams, type Teams } from "../server/teams.js";
import { openDatabase } from "./openDatabase.js";
import { temporaryDirectory } from "./temporaryDirectory.js";

/** The gateway's repositories on a fresh database. */
export interface OpenedTables {
  readonly tables: GatewayTables;
  readonly sessions: SessionRows;
  readonly forest: RateForest;
  readonly keys: ApiKeys;
  readonly teams: Teams;
  readonly organisations: Organisations;
  readonly connections: Connections;
  readonly config: Config;
  /** What another process has of the same database. */
  another(): Promise<OpenedTables>;
}

/** In a file of a directory. */
export async function openSqliteTables(directory = temporaryDirectory()): Promise<OpenedTables> {
  const secrets = createSecretFiles(join(directory, "secrets"));
  const db = await openDatabase(directory);
  const importer = await openDatabase(directory);
  const tables = createSqliteTables(db, secrets);
  return {
    tables,
    sessions: createSqliteSessionRows(db),
    ...repositoriesOn(tables),
    config: createConfig({
      tables: createSqliteTables(importer, secrets),
      pools: createSqlitePoolDirectory(importer),
      plans: createSqlitePlanOverrides(importer),
    }),
    another: () => openSqliteTables(directory),
  };
}

/** What stands on tables, whatever keeps them. */
export function repositoriesOn(tables: GatewayTables) {
  const forest = createRateForest(tables);
  return {
    forest,
    keys: createApiKeys(tables, forest),
    teams: createTeams(tables, forest),
    organisations: createOrganisations(tables, forest),
    connections: createConnections(tables),
  };
}
