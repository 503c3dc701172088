import type { Dimension, Pool } from "@quota/core";
import type { Dialect } from "../route.js";
import type { RateLimits } from "../rateLimits.js";
import type { RateKind } from "../rateNodeId.js";
import type { ModelPriceSpec } from "../spend/modelPriceSpec.js";
import type { UpstreamAuth } from "../upstreamAuth.js";

/**
 * The gateway's own tables, as a database keeps them: rows, and a transaction around their changes. What a change means (whose place a key may take,
 * what a version or a revision says) is not known here but in the repositories on top, once for every database.
 */
export interface GatewayTables {
  /** Reads without waiting, as this process knows them. */
  readonly rows: GatewayRows;
  /** One reading: nothing changes between what `work` asks for. */
  reading<Answer>(work: (rows: GatewayRows) => Answer): Answer;
  /**
   * Runs `work` in one write transaction, on rows as the database has them. What it wrote is what `rows` has once this resolves.
   *
   * @throws what `work` throws; then nothing is written. @throws the database's error.
   */
  write<Answer>(work: (rows: WritableRows) => Answer): Promise<Answer>;
  /** Resolves when `rows` has all that other processes had committed when it was called. */
  catchUp(): Promise<void>;
  /** Calls `look` soon after another process has changed the rows; returns what stops that. */
  watch(look: () => void): () => void;
}

export interface GatewayRows {
  readonly organisations: Table<StoredOrganisation>;
  readonly teams: Table<StoredTeam>;
  readonly keys: Table<StoredKey>;
  readonly connections: Table<StoredConnection>;
  /** By the SHA-256 of its secret, on the path of every request. The same row is the same object for as long as it stands. */
  keyOfSecret(hash: Buffer): StoredKey | undefined;
  /** Undefined: nothing is kept of how this connection proves itself. */
  authOf(connectionId: string): UpstreamAuth | undefined;
  /** The ids of what belongs to a team, or directly to an organisation; in the order of their ids. */
  membersOf(owner: { readonly kind: "organisation" | "team"; readonly id: string }): Members;
  /** Whatever belongs somewhere or has a limit. */
  rateRows(): readonly RateRow[];
  /** 0 before the first change. */
  ratePlanRevision(): number;
}

export interface WritableRows extends GatewayRows {
  readonly organisations: WritableTable<StoredOrganisation>;
  readonly teams: WritableTable<StoredTeam>;
  readonly keys: WritableTable<StoredKey>;
  readonly connections: WritableTable<StoredConnection>;
  /** The smallest number from 0 that no key has. */
  freeOrdinal(): number;
  putAuth(connectionId: string, auth: UpstreamAuth): void;
  /** Sets it to `by` more than it was, and at least to `least`. */
  raiseRatePlan(to: { readonly by: number; readonly least: number }): void;
  /** In the place of all that there are. */
  replacePoolsAndPlans(config: PoolsAndPlans): void;
}

export interface Table<Row> {
  get(id: string): Row | undefined;
  /** Oldest first. */
  list(): readonly Row[];
}

export interface WritableTable<Row> extends Table<Row> {
  /** A row of this id is replaced. */
  put(row: Row): void;
  /** Takes what hangs on the row along; whether there was one. */
  delete(id: string): boolean;
}

/** What organisations, teams and keys have in common. */
interface StoredOwner extends RateLimits {
  readonly id: string;
  readonly name: string;
  /** From 1. */
  readonly version: number;
  /** Epoch ms. */
  readonly createdAt: number;
}

export type StoredOrganisation = StoredOwner;

export interface StoredTeam extends StoredOwner {
  readonly orgId: string | null;
}

export interface StoredKey extends StoredOwner {
  /** SHA-256 in hexadecimal. */
  readonly secretHash: string;
  readonly disabled: boolean;
  readonly loopbackOnly: boolean;
  readonly teamId: string | null;
  /** Of a key without a team: a key in a team is in that team's organisation. */
  readonly ownOrgId: string | null;
  readonly ordinal: number;
}

export interface StoredConnection {
  readonly id: string;
  readonly provider: string;
  /** Null: the simulator of whichever process answers. */
  readonly baseUrl: string | null;
  /** Null: every model; and the dialects that the provider is known for. */
  readonly models: readonly string[] | null;
  readonly dialects: readonly Dialect[] | null;
  /** Null: nothing but what the price list says. */
  readonly prices: readonly ModelPriceSpec[] | null;
  readonly version: number;
  readonly createdAt: number;
}

export interface RateRow extends RateLimits {
  readonly kind: RateKind;
  readonly id: string;
  readonly teamId: string | null;
  /** Of a key in a team: null, since it is the team's. */
  readonly orgId: string | null;
}

export interface Members {
  readonly teams: readonly string[];
  readonly keys: readonly string[];
}

export interface PoolsAndPlans {
  readonly pools: readonly Pool[];
  readonly plans: ReadonlyMap<string, readonly Dimension[]>;
}
