import type { EpochMs } from "@quota/core";
import { ContendedError } from "./contendedError.js";
import type { EngineStatus, Logger } from "./quotaEngine.js";

/** Remembers whether the store works, and says so in the log without flooding it. */
export interface StoreWatch {
  readonly failure: EngineStatus["storeFailure"];
  works(): void;
  failed(what: { readonly cause: unknown; readonly at: EpochMs; readonly consequence: string }): void;
}

/** A store that stays away is mentioned this often. */
const MENTION_EVERY_MS = 1000;

export function createStoreWatch(logger: Logger | undefined): StoreWatch {
  let failure: EngineStatus["storeFailure"];
  let mentionedAt = -Infinity;
  let unmentioned = 0;
  return {
    get failure() {
      return failure;
    },
    works() {
      if (failure === undefined) return;
      failure = undefined;
      mentionedAt = -Infinity;
    },
    failed({ cause, at, consequence }) {
      // Many at once is no outage: what could not be written for it is tried again all the same.
      if (cause instanceof ContendedError) return;
      failure = { at, cause };
      if (at - mentionedAt < MENTION_EVERY_MS) {
        unmentioned += 1;
        return;
      }
      const said = cause instanceof Error ? cause.message : String(cause);
      logger?.warn(
        { scope: "quota:enforce", err: cause, unmentioned },
        `The usage store failed (${said}): ${consequence}.`,
      );
      mentionedAt = at;
      unmentioned = 0;
    },
  };
}
