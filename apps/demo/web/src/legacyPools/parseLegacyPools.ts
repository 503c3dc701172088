import { idProblem, isRecord, policyOf, type PoolSpec } from "@quota/core";
import { jsonElements } from "./jsonElements.js";

/** What an older dashboard kept in the browser. */
export type LegacyPools =
  | { readonly isReadable: true; readonly items: readonly LegacyItem[] }
  | { readonly isReadable: false; readonly why: string };

/** One entry: a pool that can be posted, or something that stays as it is. */
export type LegacyItem = {
  /** Exactly as it is written. */
  readonly text: string;
  /** What to call it by. */
  readonly label: string;
} & (
  | { readonly pool: PoolSpec & { readonly id?: string }; readonly limit: string | undefined }
  | { readonly pool: undefined; readonly why: string }
);

/**
 * Reads what is kept in `localStorage["omniroute:quota-share:pools"]`. Every entry of the array is one item, in order; anything else is not
 * readable. Never throws.
 */
export function parseLegacyPools(raw: string): LegacyPools {
  let value: unknown;
  try {
    value = JSON.parse(raw);
  } catch {
    return { isReadable: false, why: "It is not JSON." };
  }
  if (!Array.isArray(value)) return { isReadable: false, why: "It is not a list of pools." };
  const texts = jsonElements(raw);
  return { isReadable: true, items: value.map((entry: unknown, i) => legacyItem(entry, texts[i]!, i + 1)) };
}

function legacyItem(entry: unknown, text: string, place: number): LegacyItem {
  if (!isRecord(entry))
    return { text, label: `Entry ${String(place)}`, pool: undefined, why: "It is not a pool." };
  const { id, connectionId, provider, accountLabel, allocations, policy: asked } = entry;
  const name = [accountLabel, provider].find(isText);
  const label = name ?? (isText(connectionId) ? connectionId : `Entry ${String(place)}`);
  const why =
    wrongId(connectionId, "connectionId") ??
    (name === undefined ? "It has neither an accountLabel nor a provider to be named by." : undefined) ??
    wrongId(name, "name") ??
    wrongAllocations(allocations);
  if (why !== undefined) return { text, label, pool: undefined, why };
  const policy = policyOf(asked);
  return {
    text,
    label,
    limit: limitOf(entry),
    pool: {
      ...(canBeAsked(id) && { id }),
      connectionId: connectionId as string,
      name: name!,
      allocations: (allocations as readonly LegacyAllocation[]).map(({ apiKeyId, percent }) => ({
        apiKeyId,
        weight: Math.min(100, Math.max(0, percent)),
        policy,
      })),
    },
  };
}

interface LegacyAllocation {
  readonly apiKeyId: string;
  readonly percent: number;
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value.trim() !== "";
}

function wrongId(value: unknown, what: string): string | undefined {
  const found = idProblem(value);
  return found && `Its ${what} ${found.problem.replace(/;$/u, "")}.`;
}

function wrongAllocations(allocations: unknown): string | undefined {
  if (!Array.isArray(allocations)) return "It has no list of allocations.";
  const bad = allocations.findIndex((entry: unknown) => {
    if (!isRecord(entry)) return true;
    const { apiKeyId, percent } = entry;
    return idProblem(apiKeyId) !== undefined || typeof percent !== "number";
  });
  return bad < 0 ? undefined : `Its allocation ${String(bad + 1)} is not an apiKeyId with a percent.`;
}

/** The gateway takes any id but these two, which no URL can name. */
function canBeAsked(id: unknown): id is string {
  return idProblem(id) === undefined && id !== "." && id !== "..";
}

/** What the account granted, in words: a plan's matter now, so it is only told. */
function limitOf({
  totalQuota,
  unit,
  window,
  windowLabel,
}: Readonly<Record<string, unknown>>): string | undefined {
  if (typeof totalQuota !== "number" || totalQuota <= 0 || !isText(unit)) return undefined;
  const length = [windowLabel, window].find(isText);
  return `${String(totalQuota)} ${unit}${length === undefined ? "" : ` (${length})`}`;
}
