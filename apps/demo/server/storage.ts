import type { LedgerPart, PlanOverrides, PoolDirectory, UsageStore } from "@quota/engine";
import type { Integrity } from "@quota/sqlite";
import type { ApiKeys } from "./apiKeys.js";
import type { Config } from "./config/createConfig.js";
import type { Connections } from "./connections.js";
import type { Organisations } from "./organisations.js";
import type { RateForest } from "./rateForest.js";
import type { Sessions } from "./session/sessions.js";
import type { SpendStores } from "./spend/spendStores.js";
import type { Teams } from "./teams.js";

/** Everything the gateway keeps, opened. */
export interface Storage {
  readonly store: UsageStore;
  /** What the store holds, for whoever moves it to another one. */
  live(now: number): AsyncIterable<LedgerPart>;
  readonly pools: PoolDirectory;
  readonly plans: PlanOverrides;
  readonly keys: ApiKeys;
  readonly teams: Teams;
  readonly organisations: Organisations;
  /** The rate plan that organisations, teams and keys make together. */
  readonly forest: RateForest;
  readonly connections: Connections;
  readonly spend: SpendStores;
  /** Values that outlive a start, by name. */
  readonly settings: {
    get(name: string): Promise<unknown>;
    set(name: string, value: string): Promise<void>;
    /** All at once, or nothing; `undefined` takes a value away. */
    change(changes: ReadonlyMap<string, string | number | undefined>): Promise<void>;
  };
  /** Calls `look` soon after another process has changed the database; returns what stops that. */
  watch(look: () => void): () => void;
  /** The sessions of those who signed in with this admin token. */
  sessionsOf(adminToken: string): Sessions;
  /** All that gateways on one store must have in common. */
  readonly config: Config;
  /** Reads something small; throws when the database does not answer. */
  touch(): void;
  integrity(): Integrity;
  backup(file: string): Promise<void>;
  close(): Promise<void>;
}
