import type { SpendEvent, SpendSubject } from "@quota/core";
import { HOSTILE_TEXTS } from "./hostileTexts.js";

/** A Tuesday, at noon in UTC; a whole quarter of an hour, and as far from a change of clocks as can be. */
export const NOON = Date.UTC(2026, 1, 10, 12);
export const MINUTE = 60_000;
export const DAY = 86_400_000;
/** The largest cost of one event. */
export const MOST = Number.MAX_SAFE_INTEGER;

export const alice: SpendSubject = { kind: "key", id: "alice" };
export const bob: SpendSubject = { kind: "key", id: "bob" };
export const team: SpendSubject = { kind: "team", id: "red" };

/** Ids that have been taken for each other. */
export const HOSTILE_IDS: readonly string[] = HOSTILE_TEXTS.filter((text) => text.length <= 256);

/** An event of alice's, at noon, for 100 nano-dollars; what is given is otherwise. */
export function spend(requestId: string, rest: Partial<SpendEvent> = {}): SpendEvent {
  return {
    requestId,
    subjects: [alice],
    cost: 100,
    startedAt: NOON,
    endedAt: NOON,
    outcome: "answered",
    ...rest,
  };
}
