import type { Bucket, Dimension, DimensionName, Pool, RateCell } from "@quota/core";
import type { CounterId, LedgerId } from "./usageStore.js";

/** The ledger of one life of a pool. */
export function poolLedger(pool: Pick<Pool, "incarnation">): LedgerId {
  return `pool:${escaped(pool.incarnation)}`;
}

/** What is counted of a dimension: in buckets of its own shape, or in a fixed window that is agreed on in the ledger. */
export interface Counted {
  readonly dimension: Dimension;
  readonly isAgreed: boolean;
}

/** The id of what one key uses of a dimension. */
export function keyCounter(apiKeyId: string, counted: Counted, holds: Bucket["holds"]): CounterId {
  return `key|${escaped(apiKeyId)}|${countedPart(counted, holds)}|${holds}`;
}

/** The id of what everybody uses of a dimension. */
export function everyoneCounter(counted: Counted, holds: Bucket["holds"]): CounterId {
  return `everyone|${countedPart(counted, holds)}|${holds}`;
}

/** The id of what one key's reserve of a dimension has given up or spent: of what is held, the part that came out of it. */
export function spentCounter(apiKeyId: string, counted: Counted, holds: Bucket["holds"]): CounterId {
  return `spent|${escaped(apiKeyId)}|${countedPart(counted, holds)}|${holds}`;
}

/** The id of everybody's use of a dimension less all that reserves have given up or spent. */
export function lentCounter(counted: Counted, holds: Bucket["holds"]): CounterId {
  return `lent|${countedPart(counted, holds)}|${holds}`;
}

/** The id of the share that a key's reserve was last reckoned with. */
export function shareCounter(apiKeyId: string, dimension: DimensionName): CounterId {
  return `share|${escaped(apiKeyId)}|${dimension}`;
}

/** The id of one number that is agreed on about a dimension's window. */
export function windowStateCounter(dimension: DimensionName, field: string): CounterId {
  return `window|${dimension}|${field}`;
}

/** Counts the changes of what is agreed on about a ledger's windows. */
export const WINDOWS_REVISION_COUNTER: CounterId = "window|revision";

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

/** Windows cut otherwise number their buckets otherwise: their counts are kept apart. Generations of holds are the same in all. */
function countedPart({ dimension: { name, shape }, isAgreed }: Counted, holds: Bucket["holds"]): string {
  if (holds === "held") return name;
  if (isAgreed) return `${name}@`;
  return shape.slots === 1 ? name : `${name}*${String(shape.slots)}`;
}

/** Ids are data: the separators in them lose their meaning here. */
function escaped(id: string): string {
  return id.replaceAll(/[%|:{}]/g, (character) => `%${character.charCodeAt(0).toString(16)}`);
}
