import type { Findings } from "./findings.js";
import { readNumber } from "./readNumber.js";

/** Fields that count what a window grants, what of it is used, and what is left: any may be missing, and any may lie. */
export interface Counts {
  readonly limit: unknown;
  readonly used?: unknown;
  readonly remaining?: unknown;
}

/** How much of a limit is used. */
export interface UsedPart {
  readonly utilization: number;
  readonly limit: number;
  readonly remaining: number;
}

/** Where the counts were read, in the order of {@link Counts}. */
export interface CountFields {
  readonly limit: string;
  readonly used?: string;
  readonly remaining?: string;
}

/**
 * How much of the limit is used. Where use and remainder disagree, the one that has used more counts. More left than was granted
 * is nothing used; a limit of 0 is none: undefined, as where a field is missing or no number.
 */
export function usedPart(counts: Counts, fields: CountFields, findings: Findings): UsedPart | undefined {
  const limit = readNumber(counts.limit, fields.limit, findings);
  if (limit === undefined || limit === 0) return undefined;
  const used = fields.used === undefined ? undefined : readNumber(counts.used, fields.used, findings);
  const left =
    fields.remaining === undefined ? undefined : readNumber(counts.remaining, fields.remaining, findings);
  if (used === undefined && left === undefined) return undefined;
  if (limit > Number.MAX_SAFE_INTEGER) {
    findings.note(`${fields.limit} is larger than any limit: ignored.`);
    return undefined;
  }
  const gone = Math.max(used ?? 0, limit - (left ?? limit));
  return { utilization: gone / limit, limit, remaining: Math.max(0, limit - gone) };
}
