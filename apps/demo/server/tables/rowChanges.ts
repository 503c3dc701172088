import type { UpstreamAuth } from "../upstreamAuth.js";
import type { StoredConnection, StoredKey, StoredOrganisation, StoredTeam } from "./gatewayTables.js";

/** What has become of rows: by id, undefined where there is none any more. */
export interface RowChanges {
  readonly organisations: ReadonlyMap<string, StoredOrganisation | undefined>;
  readonly teams: ReadonlyMap<string, StoredTeam | undefined>;
  readonly keys: ReadonlyMap<string, StoredKey | undefined>;
  readonly connections: ReadonlyMap<string, StoredConnection | undefined>;
  /** How connections prove themselves; one that is not named proves itself as it did. */
  readonly auths: ReadonlyMap<string, UpstreamAuth | undefined>;
  readonly ratePlanRevision: number;
}
