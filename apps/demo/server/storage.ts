import type { Awaitable, LedgerPart, PlanOverrides, PoolDirectory, UsageStore } from "@quota/engine";
import type { Integrity } from "@quota/sqlite";
import type { ApiKeys } from "./apiKeys.js";
import type { Config } from "./config/createConfig.js";
import type { Connections } from "./connections.js";
import type { Organisations } from "./organisations.js";
import type { RateForest } from "./rateForest.js";
import type { SecretSettings } from "./secretSettings.js";
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
  /**
   * From now on what the ledger has committed outlives a loss of power, as it must where the queue drops events on its word and is not in the same
   * file. Left out where that is for whoever runs the database to say.
   */
  readonly syncLedger?: (() => void) | undefined;
  /** Values that outlive a start, by name. */
  readonly settings: {
    get(name: string): Promise<unknown>;
    set(name: string, value: string): Promise<void>;
    /** All at once, or nothing; `undefined` takes a value away. */
    change(changes: ReadonlyMap<string, string | number | undefined>): Promise<void>;
  };
  readonly secretSettings: SecretSettings;
  /** Calls `look` soon after another process has changed settings; where it rejects, again soon (PostgreSQL) or at the next change (a file). Returns what stops that. */
  watch(look: () => Promise<void>): () => void;
  /** The sessions of those who signed in with this admin token. */
  sessionsOf(adminToken: string): Sessions;
  /** All that gateways on one store must have in common. */
  readonly config: Config;
  /** Reads something small; throws or rejects when the database does not answer. */
  touch(): Awaitable<void>;
  /** A database that other machines may share; undefined for a file. */
  readonly shared: SharedDatabase | undefined;
  integrity(): Integrity;
  backup(file: string): Promise<void>;
  close(): Promise<void>;
}

/** Requests go on from what was read of it while it is away; only changes have to wait for it. */
export interface SharedDatabase {
  /** The same in every gateway on it, and in no other. */
  readonly id: string;
  /** Host, port and name, for messages. */
  readonly place: string;
}
