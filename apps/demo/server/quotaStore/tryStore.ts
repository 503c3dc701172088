import { setTimeout as sleep } from "node:timers/promises";
import type { UsageStore } from "@quota/engine";
import type { OpenedRedis } from "./openedRedis.js";
import { probeStep } from "./probeStep.js";
import { redisFault } from "./redisFault.js";
import { saidBy } from "./saidBy.js";

/** How a store did when it was tried; what does not work is said in a sentence without an address. */
export type StoreTrial =
  | { readonly works: true; readonly server?: string; readonly tookMs: number }
  | { readonly works: false; readonly reason: string };

/** How long a server that works may take to say what it is. */
const NAME_MS = 1_000;

/** Told what went wrong, for the log: nothing of it is in the answer. */
export type OnTrouble = (trouble: { readonly said: string }, sentence: string) => void;

/** Lets the database take a step. */
export async function tryDatabase(store: UsageStore, now: number, onTrouble: OnTrouble): Promise<StoreTrial> {
  const began = performance.now();
  try {
    await store.transact(probeStep(now));
    return { works: true, tookMs: since(began) };
  } catch (error) {
    onTrouble(saidBy(error), "The database was tried, and does not answer.");
    return { works: false, reason: "The database does not answer." };
  }
}

/** Opens a Redis as a change to it would, lets it take a step, and closes it. What it counts in is kept for two minutes and read by nobody. */
export async function tryRedis(open: () => Promise<OpenedRedis>, onTrouble: OnTrouble): Promise<StoreTrial> {
  const began = performance.now();
  let opened: OpenedRedis | undefined;
  try {
    opened = await open();
    await opened.store.transact(probeStep(opened.clock.now()));
    const tookMs = since(began);
    const server = await nameOf(opened, onTrouble);
    return { works: true, ...(server !== undefined && { server }), tookMs };
  } catch (error) {
    onTrouble(saidBy(error), "A Redis was tried, and cannot be used.");
    return { works: false, reason: `Redis ${redisFault(error)}.` };
  } finally {
    try {
      await opened?.close();
    } catch (error) {
      // The trial is over, and what it found holds.
      onTrouble(saidBy(error), "The Redis that was tried could not be closed.");
    }
  }
}

/** One that may not be asked for its name works all the same. */
async function nameOf({ server }: OpenedRedis, onTrouble: OnTrouble): Promise<string | undefined> {
  const late = new AbortController();
  try {
    return await Promise.race([
      server?.(),
      sleep(NAME_MS, undefined, { signal: late.signal, ref: false }).catch(() => undefined),
    ]);
  } catch (error) {
    onTrouble(saidBy(error), "The Redis that was tried does not say what it is.");
    return undefined;
  } finally {
    late.abort();
  }
}

function since(began: number): number {
  return Math.round((performance.now() - began) * 10) / 10;
}
