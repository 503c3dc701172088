import { plantRatePlan, ratePathFrom, type RatePlanFault } from "@quota/core";
import type { Logger, RatePlanRequest, RevisedRatePlan } from "@quota/engine";
import type { QuotaDatabase } from "@quota/sqlite";
import { rateNodeId, type RateKind } from "./rateNodeId.js";

/** The rate plan as it stands in the database, planted. Its revision grows with every write to organisations, teams, or placed keys. */
export interface PlantedForest extends RevisedRatePlan {
  /** What a node is called outside of the plan. */
  readonly idOf: ReadonlyMap<string, string>;
  readonly warnings: readonly RatePlanFault[];
}

/**
 * Organisations, teams and keys as one rate plan, kept at hand: a request reads its own path and no file. What this process writes is
 * in force when the write is answered; what another writes, within a second, and at once where a ledger tells of a newer revision.
 */
export interface RateForest {
  current(): PlantedForest;
  /** As the file has it now. @throws the driver's error when it cannot be read. */
  latest(): PlantedForest;
  /**
   * The plan, and a key's path in it. Undefined where nothing on the path has a limit: such a request has nothing to ask, and must not
   * pay for it, so it is not counted either.
   */
  askedBy(apiKeyId: string): RatePlanRequest | undefined;
  /**
   * Runs `work` in one write transaction; where it calls `touch`, the plan's revision rises in the same transaction, and the new
   * plan is in force when this resolves.
   */
  write<Answer>(work: (touch: () => void) => Answer): Promise<Answer>;
  /** Raises the revision to at least this: several machines that import one configuration must agree on its revision too. */
  adopt(revision: number): Promise<void>;
}

/** Names the plan's row in `quota_revisions`. */
const TOPIC = "rate-plan";

/** @throws the driver's error when the tables cannot be read. */
export function createRateForest(
  db: QuotaDatabase,
  { logger }: { readonly logger?: Logger | undefined } = {},
): RateForest {
  const { connection } = db;
  const revisionIn = connection
    .prepare<[string], number>("SELECT revision FROM quota_revisions WHERE topic = ?")
    .pluck();
  const raise = connection.prepare(
    `INSERT INTO quota_revisions (topic, revision) VALUES (@topic, max(1, @least))
     ON CONFLICT (topic) DO UPDATE SET revision = max(revision + @step, @least)`,
  );
  const rows = connection.prepare<[], Row>(
    `SELECT 'organisation' AS kind, id, NULL AS team_id, NULL AS organisation_id, rpm, tpm FROM organisations
     UNION ALL SELECT 'team', id, NULL, organisation_id, rpm, tpm FROM teams
     UNION ALL SELECT 'key', api_key_id, team_id, organisation_id, rpm, tpm FROM api_key_places
       WHERE coalesce(team_id, organisation_id, rpm, tpm) IS NOT NULL`,
  );
  // One reading of the revision and the rows.
  const read = connection.transaction((before: PlantedForest | undefined): PlantedForest => {
    const revision = revisionIn.get(TOPIC) ?? 0;
    if (before?.revision === revision) return before;
    const found = rows.all();
    const planted = plantRatePlan({ nodes: found.map(nodeOf) });
    if (planted.ok) {
      const idOf = new Map(found.map(({ kind, id }) => [rateNodeId(kind, id), id]));
      return { id: "gateway", revision, plan: planted.plan, idOf, warnings: planted.warnings };
    }
    const faults = planted.faults.map(({ message }) => message).join(" ");
    throw new Error(`The stored rate plan is damaged: ${faults}`);
  });
  let known = read(undefined);
  let requests = new Map<string, RatePlanRequest | undefined>();

  function refresh(): void {
    const next = read(known);
    if (next === known) return;
    known = next;
    requests = new Map();
  }

  db.watch(() => {
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
    askedBy(apiKeyId) {
      if (!requests.has(apiKeyId)) requests.set(apiKeyId, limited(known, rateNodeId("key", apiKeyId)));
      return requests.get(apiKeyId);
    },
    async write(work) {
      const answer = await db.write(() => {
        const touched = new Set<typeof TOPIC>();
        const done = work(() => void touched.add(TOPIC));
        for (const topic of touched) raise.run({ topic, step: 1, least: 0 });
        return done;
      });
      refresh();
      return answer;
    },
    async adopt(revision) {
      await db.write(() => raise.run({ topic: TOPIC, step: 0, least: revision }));
      refresh();
    },
  };
}

interface Row {
  readonly kind: RateKind;
  readonly id: string;
  readonly team_id: string | null;
  readonly organisation_id: string | null;
  readonly rpm: number | null;
  readonly tpm: number | null;
}

function nodeOf({ kind, id, team_id: team, organisation_id: organisation, rpm, tpm }: Row) {
  const parent =
    team !== null
      ? rateNodeId("team", team)
      : organisation !== null
        ? rateNodeId("organisation", organisation)
        : undefined;
  return { id: rateNodeId(kind, id), kind, rpm, tpm, parent };
}

function limited({ id, revision, plan }: PlantedForest, leafId: string): RatePlanRequest | undefined {
  if (!plan.nodes.has(leafId)) return undefined;
  const path = ratePathFrom(plan, leafId);
  const isLimited = path.some(({ rpm, tpm }) => rpm !== undefined || tpm !== undefined);
  return isLimited ? { id, revision, plan, path } : undefined;
}
