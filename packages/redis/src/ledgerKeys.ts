import type { CounterId, LedgerId } from "@quota/engine";

/** The keys of one ledger. They share its hash tag, so a cluster keeps them in one slot. */
export interface LedgerKeys {
  /** Holds the token of the commit that changed the ledger last. */
  readonly head: string;
  /** The hash of one bucket: counter → amount. */
  hashOf(bucket: number): string;
}

/** Ids are data: what has a meaning in a key loses it here. */
export function ledgerKeys(prefix: string, ledger: LedgerId): LedgerKeys {
  const tag = `${prefix}{${tagOf(ledger)}}`;
  return { head: tag, hashOf: (bucket) => `${tag}:${String(bucket)}` };
}

/** An id as the hash tag of a key. An empty one would be none, and the keys would be scattered; a `%` alone stands for nothing else. */
export function tagOf(id: string): string {
  return id === "" ? "%" : escaped(id);
}

/** The name of a counter within a hash. */
export function fieldOf(id: CounterId): string {
  // Text that is not well formed would all become the same replacement character on its way.
  return isWellFormed(id) && !id.startsWith("%") ? id : `%${escaped(id)}`;
}

function escaped(id: string): string {
  return id.replaceAll(/[%{}]|\p{Surrogate}/gu, (character) => `%${character.charCodeAt(0).toString(16)}.`);
}

function isWellFormed(id: string): boolean {
  return !/\p{Surrogate}/u.test(id);
}
