import { isRecord } from "./isRecord.js";

/**
 * What becomes of requests while the store is away.
 * - `allow`: they pass, unjudged.
 * - `deny`: they are answered 503.
 * - `last-known`: they are judged on the last reading and on what this process has added since. Each process does so by itself.
 * - `{ budget }`: they pass, unjudged, until what this process has let pass and could not write has come to that part of each limit,
 *   above 0 and up to 1, divided by the number of processes; then they are answered 503.
 */
export type WhenStoreFails = "allow" | "deny" | "last-known" | { readonly budget: number };

/** A policy as somebody wrote it; undefined where it is none. */
export function whenStoreFailsOf(value: unknown): WhenStoreFails | undefined {
  if (value === "allow" || value === "deny" || value === "last-known") return value;
  if (!isRecord(value) || Object.keys(value).length !== 1) return undefined;
  const { budget } = value;
  return typeof budget === "number" && budget > 0 && budget <= 1 ? Object.freeze({ budget }) : undefined;
}
