import type { Dimension, Pool, RateCell } from "@quota/core";
import type { CounterId, LedgerId } from "./usageStore.js";

/** The ledger of one life of a pool. */
export function poolLedger(pool: Pick<Pool, "incarnation">): LedgerId {
  return `pool:${escaped(pool.incarnation)}`;
}

/** The id of what one key uses of a dimension. */
export function keyCounter(apiKeyId: string, dimension: Dimension, holds: "settled" | "held"): CounterId {
  return `key|${escaped(apiKeyId)}|${dimensionPart(dimension)}|${holds}`;
}

/** The id of what everybody uses of a dimension. */
export function everyoneCounter(dimension: Dimension, holds: "settled" | "held"): CounterId {
  return `everyone|${dimensionPart(dimension)}|${holds}`;
}

/** The ledger of a rate plan's tree, whatever its revision. */
export function ratePlanLedger(planId: string): LedgerId {
  return `rates:${escaped(planId)}`;
}

/** The ledger of rate limits that are asked side by side. */
export function rateScopesLedger(id: string): LedgerId {
  return `scopes:${escaped(id)}`;
}

/** The id of one number that is kept of a node; slots that are cut otherwise are counted apart. */
export function rateCounter({ nodeId, dimension, counts }: RateCell, slots: number): CounterId {
  return `rate|${escaped(nodeId)}|${dimension}${slots === 1 ? "" : `*${String(slots)}`}|${counts}`;
}

/** The newest revision of a rate plan that was ever charged, plus one. */
export const RATE_REVISION_COUNTER: CounterId = "revision|newest";

/** The revision that a minute's `given` counters were kept under, plus one. */
export const RATE_MINUTE_COUNTER: CounterId = "revision|minute";

/** Windows cut otherwise number their buckets otherwise: their counts are kept apart. */
function dimensionPart({ name, shape }: Dimension): string {
  return shape.slots === 1 ? name : `${name}*${String(shape.slots)}`;
}

/** Ids are data: the separators in them lose their meaning here. */
function escaped(id: string): string {
  return id.replaceAll(/[%|:{}]/g, (character) => `%${character.charCodeAt(0).toString(16)}`);
}
