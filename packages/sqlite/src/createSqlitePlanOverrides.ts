import { dimensionSpec, idFault, parseDimensions, type Dimension } from "@quota/core";
import { InvalidInputError, StoreError, type Logger, type PlanOverrides } from "@quota/engine";
import type { QuotaDatabase } from "./openQuotaDatabase.js";
import { snapshotOf } from "./snapshotOf.js";

export interface SqlitePlanOverridesOptions {
  /** Hears of damaged rows and of reads that failed, under the scope `quota:plans`. */
  readonly logger?: Logger | undefined;
}

/**
 * Keeps plans stored by hand in `provider_plans`, as JSON with amounts in units, and all of them at hand, as
 * {@link createSqlitePoolDirectory} keeps pools. A stored plan that cannot be understood is never passed over for the catalog's, which may
 * grant more: asking for it is rejected until it is stored again.
 *
 * @throws {StoreError} when the table cannot be read.
 */
export function createSqlitePlanOverrides(
  db: QuotaDatabase,
  { logger }: SqlitePlanOverridesOptions = {},
): PlanOverrides {
  const { connection } = db;
  const index = connection
    .prepare<[], [string, number]>("SELECT connection_id, revision FROM provider_plans")
    .raw();
  const dimensions = connection
    .prepare<[string], string>("SELECT dimensions FROM provider_plans WHERE connection_id = ?")
    .pluck();
  const store = connection.prepare(
    `INSERT INTO provider_plans (connection_id, dimensions, revision) VALUES (?, ?, ?)
     ON CONFLICT (connection_id) DO UPDATE SET dimensions = excluded.dimensions, revision = excluded.revision`,
  );
  const drop = connection.prepare("DELETE FROM provider_plans WHERE connection_id = ?");
  const snapshot = snapshotOf<readonly Dimension[] | "damaged">(db, {
    topic: "plans",
    index: () => index.all(),
    load,
    onFailure: (err) =>
      logger?.warn(
        { scope: "quota:plans", err },
        "The plans could not be read again; the last ones seen are used.",
      ),
  });

  return {
    async get(connectionId) {
      const found = snapshot.get(connectionId);
      if (found !== "damaged") return found;
      throw new StoreError(`The plan stored for ${connectionId} is damaged; store it again, or delete it.`, {
        applied: "no",
      });
    },

    async list() {
      const sound = new Map<string, readonly Dimension[]>();
      for (const [connectionId, found] of await snapshot.latest())
        if (found !== "damaged") sound.set(connectionId, found);
      return sound;
    },

    async set(connectionId, given) {
      const fault = idFault(connectionId, "connectionId");
      if (fault) throw new InvalidInputError([fault]);
      const kept = Object.freeze([...given]);
      await snapshot.write(({ revision, wrote }) => {
        store.run(connectionId, JSON.stringify(kept.map(dimensionSpec)), revision());
        wrote(connectionId, kept);
      });
    },

    async delete(connectionId) {
      return await snapshot.write(({ byId, revision, wrote }) => {
        if (!byId.has(connectionId)) return false;
        revision();
        drop.run(connectionId);
        wrote(connectionId, undefined);
        return true;
      });
    },
  };

  function load(connectionId: string): readonly Dimension[] | "damaged" | undefined {
    const text = dimensions.get(connectionId);
    if (text === undefined) return undefined;
    const parsed = parseDimensions(parseJson(text));
    if (parsed.ok) return parsed.value;
    logger?.warn(
      { scope: "quota:plans", connectionId, faults: parsed.faults },
      "A stored plan is damaged; store it again, or delete it.",
    );
    return "damaged";
  }
}

/** Text that is no JSON is no list of dimensions either. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
