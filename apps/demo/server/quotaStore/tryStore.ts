import { setTimeout as sleep } from "node:timers/promises";
import type { UsageStore } from "@quota/engine";
import type { OpenedRedis } from "./openedRedis.js";
import { probeStep } from "./probeStep.js";
import { redisFault } from "./redisFault.js";

/** How a store did when it was tried; what does not work is said in a sentence without an address. */
export type StoreTrial =
  | { readonly works: true; readonly server?: string; readonly tookMs: number }
  | { readonly works: false; readonly reason: string };

/** How long a server that works may take to say what it is. */
const NAME_MS = 1_000;

/** Lets the database take a step. */
export async function tryDatabase(store: UsageStore, now: number): Promise<StoreTrial> {
  const began = performance.now();
  try {
    await store.transact(probeStep(now));
    return { works: true, tookMs: since(began) };
  } catch {
    // The driver's own words are in the log of whoever counts there.
    return { works: false, reason: "The database does not answer." };
  }
}

/** Opens a Redis as a change to it would, lets it take a step, and closes it. What it counts in is kept for two minutes and read by nobody. */
export async function tryRedis(open: () => Promise<OpenedRedis>): Promise<StoreTrial> {
  const began = performance.now();
  let opened: OpenedRedis | undefined;
  try {
    opened = await open();
    await opened.store.transact(probeStep(opened.clock.now()));
    const tookMs = since(began);
    const server = await nameOf(opened);
    return { works: true, ...(server !== undefined && { server }), tookMs };
  } catch (error) {
    return { works: false, reason: `Redis ${redisFault(error)}.` };
  } finally {
    await opened?.close();
  }
}

/** One that may not be asked for its name works all the same. */
async function nameOf({ server }: OpenedRedis): Promise<string | undefined> {
  const late = new AbortController();
  try {
    return await Promise.race([
      server?.(),
      sleep(NAME_MS, undefined, { signal: late.signal, ref: false }).catch(() => undefined),
    ]);
  } catch {
    return undefined;
  } finally {
    late.abort();
  }
}

function since(began: number): number {
  return Math.round((performance.now() - began) * 10) / 10;
}
