import type { PoolSpec } from "@quota/core";
import type { PoolJson } from "@quota/http";
import { detailOf, RequestFailure } from "../api/request.js";
import { parseLegacyPools, type LegacyItem } from "./parseLegacyPools.js";
import { withoutLegacyPool } from "./withoutLegacyPool.js";

/** Where an older dashboard kept its pools. */
export const LEGACY_POOLS_KEY = "omniroute:quota-share:pools";

export interface LegacyMove {
  /** Pools that the gateway has now, and what their accounts granted, which is no part of a pool. */
  readonly moved: readonly { readonly label: string; readonly limit: string | undefined }[];
  /** Why an entry is still in the browser, by its text. */
  readonly reasons: ReadonlyMap<string, string>;
}

export interface LegacyMoveParts {
  readonly storage: Pick<Storage, "getItem" | "setItem" | "removeItem">;
  readonly list: () => Promise<readonly PoolJson[]>;
  readonly post: (pool: PoolSpec & { readonly id?: string }) => Promise<PoolJson>;
}

/**
 * Posts each pool that is kept in the browser, and takes it out of there as soon as the gateway has it, so that a closed tab loses nothing
 * and repeats nothing. What cannot be read, or is refused, stays exactly as it is.
 */
export async function moveLegacyPools({ storage, list, post }: LegacyMoveParts): Promise<LegacyMove> {
  const moved: LegacyMove["moved"][number][] = [];
  const reasons = new Map<string, string>();
  const parsed = parseLegacyPools(storage.getItem(LEGACY_POOLS_KEY) ?? "[]");
  if (!parsed.isReadable) return { moved, reasons };
  if (parsed.items.length === 0) storage.removeItem(LEGACY_POOLS_KEY);
  // What another tab has just moved may still be in this one's copy of the storage: browsers let tabs know of writes with some delay.
  const { there, ...first } = await listed(list);
  let stop = first.stop;
  for (const item of parsed.items) {
    if (item.pool === undefined) continue;
    const { pool } = item;
    const hasIt = there.some(
      (existing) => existing.connectionId === pool.connectionId && isThere(pool, existing),
    );
    const refused = stop ?? (hasIt ? undefined : await settled(item, { list, post }));
    if (refused === undefined) {
      takeOut(storage, item.text);
      moved.push({ label: item.label, limit: item.limit });
    } else if (typeof refused === "string") reasons.set(item.text, refused);
    else {
      stop = refused.stop;
      reasons.set(item.text, stop);
    }
  }
  return { moved, reasons };
}

async function listed(
  list: LegacyMoveParts["list"],
): Promise<{ readonly there: readonly PoolJson[]; readonly stop?: string }> {
  try {
    return { there: await list() };
  } catch (error) {
    return { there: [], stop: detailOf(error) };
  }
}

/** Undefined when the gateway has the pool; otherwise why not, and whether it is of no use to go on. */
async function settled(
  { pool }: LegacyItem & { readonly pool: object },
  { list, post }: Omit<LegacyMoveParts, "storage">,
): Promise<undefined | string | { readonly stop: string }> {
  try {
    return await postOnce(pool, { list, post });
  } catch (error) {
    const { status } = error instanceof RequestFailure ? error.problem : { status: undefined };
    const isOnly =
      typeof status === "number" && status >= 400 && status < 500 && status !== 401 && status !== 429;
    return isOnly ? detailOf(error) : { stop: detailOf(error) };
  }
}

/** A repeat finds the pool of the first time: the gateway has one pool a connection, and knows it by the id that it had here. */
async function postOnce(
  pool: PoolSpec & { readonly id?: string },
  { list, post }: Omit<LegacyMoveParts, "storage">,
): Promise<string | undefined> {
  try {
    await post(pool);
    return undefined;
  } catch (error) {
    if (!(error instanceof RequestFailure) || error.problem.status !== 409) throw error;
    const existing = (await list()).find(({ connectionId }) => connectionId === pool.connectionId);
    if (existing !== undefined) return isThere(pool, existing) ? undefined : detailOf(error);
    // The id alone is taken, by a pool of another connection.
    const { id, ...anonymous } = pool;
    if (id === undefined) throw error;
    return postOnce(anonymous, { list, post });
  }
}

function isThere(pool: PoolSpec & { readonly id?: string }, existing: PoolJson): boolean {
  if (pool.id === existing.id) return true;
  const contents = ({ name, allocations }: Pick<PoolSpec, "name" | "allocations">): string =>
    JSON.stringify([name, allocations.map(({ apiKeyId, weight, policy }) => [apiKeyId, weight, policy])]);
  return contents(pool) === contents(existing);
}

/** From what is there now: another tab may have taken out others meanwhile. */
function takeOut(storage: LegacyMoveParts["storage"], text: string): void {
  const left = withoutLegacyPool(storage.getItem(LEGACY_POOLS_KEY) ?? "[]", text);
  if (left === null) storage.removeItem(LEGACY_POOLS_KEY);
  else storage.setItem(LEGACY_POOLS_KEY, left);
}
