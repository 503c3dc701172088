import type { CountedStore } from "./copyCounters.js";

/** A Redis that has answered. */
export interface OpenedRedis extends CountedStore {
  readonly clock: { now(): number };
  /** Sends one command. */
  ask(command: string, ...words: string[]): Promise<unknown>;
  /** What the server says it is, such as `redis 7.0.15`. */
  server?(): Promise<string>;
  close(): Promise<void>;
}
