import { hash } from "node:crypto";
import { tagOf } from "./ledgerKeys.js";

/** The keys of one spend queue. They share its hash tag, so a cluster keeps them in one slot. */
export interface SpendKeys {
  /** A stream: the events that wait. */
  readonly stream: string;
  /** A set: the digests of their request ids. */
  readonly waiting: string;
  /** What a subject has waiting: a minute or `unknown` → nano-dollars. Gone when nothing is. */
  hotOf(subject: string): string;
  /** Where an id is remembered once it is acknowledged. */
  shardOf(digest: string): SpendShard;
}

/** Hashes of digests. What is acknowledged in one stretch of time goes into one of them, what is in the next into the other one. */
export type SpendShard = readonly [even: string, odd: string];

/** @param name of the queue, any text. */
export function spendKeys(prefix: string, name: string): SpendKeys {
  // Not `<prefix>{…}`, which is a ledger's: a pool may be called like a queue.
  const tag = `${prefix}spend{${tagOf(name)}}`;
  return {
    stream: tag,
    waiting: `${tag}:waiting`,
    hotOf: (subject) => `${tag}:hot:${subject}`,
    shardOf(digest) {
      const shard = digest.slice(0, SHARD_LETTERS);
      return [`${tag}:known:0:${shard}`, `${tag}:known:1:${shard}`];
    },
  };
}

/**
 * Stands for a request id where ids are remembered: 128 bits of its SHA-256, 22 letters whatever the length of the id. Two ids with one
 * digest would lose an event; with 10^9 of them remembered that is one chance in 10^20.
 */
export function digestOf(requestId: string): string {
  return hash("sha256", requestId, "base64url").slice(0, 22);
}

/** Of an alphabet of 64: 4096 hashes for a stretch of time. Redis keeps one of at most 512 fields (`hash-max-listpack-entries`) in a compact form. */
const SHARD_LETTERS = 2;
