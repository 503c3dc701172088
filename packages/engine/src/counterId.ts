import type { Dimension, Pool } from "@quota/core";
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

/** Windows cut otherwise number their buckets otherwise: their counts are kept apart. */
function dimensionPart({ name, shape }: Dimension): string {
  return shape.slots === 1 ? name : `${name}*${String(shape.slots)}`;
}

/** Ids are data: the separators in them lose their meaning here. */
function escaped(id: string): string {
  return id.replaceAll(/[%|:{}]/g, (character) => `%${character.charCodeAt(0).toString(16)}`);
}
