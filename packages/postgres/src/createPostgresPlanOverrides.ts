import { dimensionSpec, idFault, parseDimensions, type Dimension } from "@quota/core";
import { InvalidInputError, StoreError, type Logger, type PlanOverrides } from "@quota/engine";
import type { PostgresDatabase } from "./openPostgres.js";
import { snapshotOf } from "./snapshotOf.js";
import { storedText, textStored } from "./storedText.js";

export interface PostgresPlanOverridesOptions {
  /** Hears of damaged rows and of reads that failed, under the scope `quota:plans`. */
  readonly logger?: Logger | undefined;
}

/**
 * Keeps plans stored by hand in `provider_plans`, as JSON with amounts in units, and all of them at hand, as
 * {@link createPostgresPoolDirectory} keeps pools. A stored plan that cannot be understood is never passed over for the catalog's, which may
 * grant more: asking for it is rejected until it is stored again.
 *
 * @throws {StoreError} when the table cannot be read.
 */
export async function createPostgresPlanOverrides(
  db: PostgresDatabase,
  { logger }: PostgresPlanOverridesOptions = {},
): Promise<PlanOverrides> {
  const snapshot = await snapshotOf<readonly Dimension[] | "damaged">(db, {
    topic: "plans",
    async load(rows, since) {
      const found = await rows<{ connection_id: string; revision: string; dimensions: string | null }>(
        `SELECT connection_id, revision, CASE WHEN revision > $1 THEN dimensions END AS dimensions FROM provider_plans`,
        [since],
      );
      return found.map(({ connection_id, revision, dimensions }) => {
        const id = textStored(connection_id);
        const value = dimensions === null ? undefined : read(id, dimensions);
        return { id, revision: Number(revision), value };
      });
    },
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
      await snapshot.write(async ({ transaction, revision, wrote }) => {
        await transaction.run(
          `INSERT INTO provider_plans (connection_id, dimensions, revision) VALUES ($1, $2, $3)
           ON CONFLICT (connection_id) DO UPDATE SET dimensions = excluded.dimensions, revision = excluded.revision`,
          [storedText(connectionId), JSON.stringify(kept.map(dimensionSpec)), revision],
        );
        wrote(connectionId, kept);
      });
    },

    async delete(connectionId) {
      return await snapshot.write(async ({ byId, transaction, wrote }) => {
        if (!byId.has(connectionId)) return false;
        await transaction.run("DELETE FROM provider_plans WHERE connection_id = $1", [
          storedText(connectionId),
        ]);
        wrote(connectionId, undefined);
        return true;
      });
    },
  };

  function read(connectionId: string, text: string): readonly Dimension[] | "damaged" {
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
