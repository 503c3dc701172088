import type { PlanOverrides, PoolDirectory, UsageStore } from "@quota/engine";
import type { Integrity } from "@quota/sqlite";
import type { ApiKeys } from "./apiKeys.js";
import type { Connections } from "./connections.js";

/** Everything the gateway keeps, opened. */
export interface Storage {
  readonly store: UsageStore;
  readonly pools: PoolDirectory;
  readonly plans: PlanOverrides;
  readonly keys: ApiKeys;
  readonly connections: Connections;
  /** Values that outlive a start, by name. */
  readonly settings: {
    get(name: string): Promise<unknown>;
    set(name: string, value: string): Promise<void>;
  };
  /** Reads something small; throws when the database does not answer. */
  touch(): void;
  integrity(): Integrity;
  backup(file: string): Promise<void>;
  close(): Promise<void>;
}
