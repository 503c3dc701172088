import { plantRatePlan, ratePathFrom, type RatePlanFault } from "@quota/core";
import type { Logger, RatePlanRequest, RevisedRatePlan } from "@quota/engine";
import { rateNodeId } from "./rateNodeId.js";
import type { GatewayTables, RateRow, WritableRows } from "./tables/gatewayTables.js";

/** The rate plan as it stands in the database, planted. Its revision grows with every write to organisations, teams, or placed keys. */
export interface PlantedForest extends RevisedRatePlan {
  /** What a node is called outside of the plan. */
  readonly idOf: ReadonlyMap<string, string>;
  readonly warnings: readonly RatePlanFault[];
}

/**
 * Organisations, teams and keys as one rate plan, kept at hand: a request reads its own path and no database. What this process writes is
 * in force when the write is answered; what another writes, within two seconds, and at once where a ledger tells of a newer revision.
 */
export interface RateForest {
  current(): PlantedForest;
  /** The newest that this process can tell without waiting. @throws the database's error where that is a reading of it. */
  latest(): PlantedForest;
  /** As the database has it now. @throws the database's error when it cannot be read. */
  newest(): Promise<PlantedForest>;
  /**
   * The plan, and a key's path in it. Undefined where nothing on the path has a limit: such a request has nothing to ask, and must not
   * pay for it, so it is not counted either.
   */
  askedBy(apiKeyId: string): RatePlanRequest | undefined;
  /**
   * Runs `work` in one write transaction; where it calls `touch`, the plan's revision rises in the same transaction, and the new
   * plan is in force when this resolves.
   */
  write<Answer>(work: (rows: WritableRows, touch: () => void) => Answer): Promise<Answer>;
  /** Raises the revision to at least this: several machines that import one configuration must agree on its revision too. */
  adopt(revision: number): Promise<void>;
}

/** @throws the database's error when the tables cannot be read. */
export function createRateForest(
  tables: GatewayTables,
  { logger }: { readonly logger?: Logger | undefined } = {},
): RateForest {
  let known = read(undefined);
  let requests = new Map<string, RatePlanRequest | undefined>();

  function read(before: PlantedForest | undefined): PlantedForest {
    return tables.reading((rows) => {
      const revision = rows.ratePlanRevision();
      if (before?.revision === revision) return before;
      return planted(rows.rateRows(), revision);
    });
  }

  function refresh(): void {
    const next = read(known);
    if (next === known) return;
    known = next;
    requests = new Map();
  }

  tables.watch(() => {
    try {
      refresh();
    } catch (err) {
      logger?.warn(
        { scope: "quota:rates", err },
        "The rate plan could not be read again; the last one seen is used.",
      );
    }
  });

  return {
    current: () => known,
    latest() {
      refresh();
      return known;
    },
    async newest() {
      await tables.catchUp();
      refresh();
      return known;
    },
    askedBy(apiKeyId) {
      if (!requests.has(apiKeyId)) requests.set(apiKeyId, limited(known, rateNodeId("key", apiKeyId)));
      return requests.get(apiKeyId);
    },
    async write(work) {
      const answer = await tables.write((rows) => {
        let step = 0;
        const done = work(rows, () => (step = 1));
        if (step > 0) rows.raiseRatePlan({ by: step, least: 1 });
        return done;
      });
      refresh();
      return answer;
    },
    async adopt(revision) {
      await tables.write((rows) => rows.raiseRatePlan({ by: 0, least: Math.max(1, revision) }));
      refresh();
    },
  };
}

function planted(rows: readonly RateRow[], revision: number): PlantedForest {
  const sown = plantRatePlan({ nodes: rows.map(nodeOf) });
  if (sown.ok) {
    const idOf = new Map(rows.map(({ kind, id }) => [rateNodeId(kind, id), id]));
    return { id: "gateway", revision, plan: sown.plan, idOf, warnings: sown.warnings };
  }
  const faults = sown.faults.map(({ message }) => message).join(" ");
  throw new Error(`The stored rate plan is damaged: ${faults}`);
}

function nodeOf({ kind, id, teamId, orgId, rpm, tpm }: RateRow) {
  const parent =
    teamId !== null
      ? rateNodeId("team", teamId)
      : orgId !== null
        ? rateNodeId("organisation", orgId)
        : undefined;
  return { id: rateNodeId(kind, id), kind, rpm, tpm, parent };
}

function limited({ id, revision, plan }: PlantedForest, leafId: string): RatePlanRequest | undefined {
  if (!plan.nodes.has(leafId)) return undefined;
  const path = ratePathFrom(plan, leafId);
  const isLimited = path.some(({ rpm, tpm }) => rpm !== undefined || tpm !== undefined);
  return isLimited ? { id, revision, plan, path } : undefined;
}
