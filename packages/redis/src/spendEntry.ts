import { parseSpendEvent, subjectName, type EpochMs, type SpendEvent } from "@quota/core";
import type { DamagedSpend, SpendItem } from "@quota/engine";
import { digestOf } from "./spendKeys.js";

/** An item as it stands in the stream, what it had added to the hot spend beside its text. */
export interface SpendEntry {
  /** Where it stands in the stream. */
  readonly at: string;
  /** Empty where somebody else has put it there. */
  readonly requestId: string;
  readonly handedInAt: EpochMs | undefined;
  /** What each of its subjects bears, as digits. */
  readonly cost: string;
  readonly minute: string;
  readonly subjects: readonly string[];
  readonly raw: string;
}

export const MINUTE_MS = 60_000;

/** Of an event without a start: it counts in every period. */
export const UNKNOWN_MINUTE = "unknown";

/** What is kept of an event. */
export interface SpendWords {
  /** Read by nobody but {@link spendEntry}: what it adds to the hot spend, and when it was handed in. */
  readonly beside: string;
  readonly raw: string;
  readonly cost: string;
  readonly minute: string;
}

export function spendWords(event: SpendEvent, now: EpochMs): SpendWords {
  const { subjects, startedAt } = event;
  const cost = event.cost === "unpriced" ? "0" : String(event.cost);
  const minute = startedAt === undefined ? UNKNOWN_MINUTE : String(Math.floor(startedAt / MINUTE_MS));
  const beside = JSON.stringify([now, cost, minute, ...subjects.map(subjectName)]);
  return { beside, raw: JSON.stringify(event), cost, minute };
}

/** Reads what `XRANGE` replies of one item. What cannot be read of it is empty, and it has added nothing. */
export function spendEntry([at, flat]: readonly [string, readonly string[]]): SpendEntry {
  const fields = new Map<string, string>();
  for (let i = 0; i + 1 < flat.length; i += 2) fields.set(flat[i]!, flat[i + 1]!);
  return {
    at,
    requestId: fields.get("id") ?? "",
    raw: fields.get("event") ?? JSON.stringify(flat),
    ...readBeside(fields.get("beside")),
  };
}

function readBeside(
  text: string | undefined,
): Pick<SpendEntry, "handedInAt" | "cost" | "minute" | "subjects"> {
  const read = text === undefined ? undefined : parsedJson(text);
  const [handedInAt, cost, minute, ...subjects] = Array.isArray(read) ? (read as readonly unknown[]) : [];
  if (
    typeof handedInAt !== "number" ||
    !isDigits(cost) ||
    !(minute === UNKNOWN_MINUTE || isDigits(minute)) ||
    !subjects.every((each) => typeof each === "string")
  )
    return { handedInAt: undefined, cost: "0", minute: UNKNOWN_MINUTE, subjects: [] };
  return { handedInAt, cost, minute, subjects };
}

function isDigits(value: unknown): value is string {
  return typeof value === "string" && /^\d+$/.test(value);
}

/**
 * Names an item. With its request, too: what a failover has lost may be followed by others at the same places of the stream, and one
 * that was seen before must not be taken for them.
 */
export function positionOf({ at, requestId }: SpendEntry): string {
  return `${at}:${digestOf(requestId)}`;
}

/** The item with its event, or what is wrong with it. */
export function readSpendEntry(entry: SpendEntry): SpendItem | DamagedSpend {
  const { requestId, raw } = entry;
  const position = positionOf(entry);
  const damaged = (why: string): DamagedSpend => ({
    position,
    raw,
    why,
    ...(requestId === "" ? {} : { requestId }),
  });
  if (requestId === "") return damaged("It was not handed in by a queue of this kind: it has no request id.");
  const value = parsedJson(raw);
  if (value instanceof SyntaxError) return damaged(`It is no JSON: ${value.message}.`);
  const parsed = parseSpendEvent(value);
  if (!parsed.ok) return damaged(parsed.faults.map(({ message }) => message).join(" "));
  const event = parsed.value;
  if (event.requestId !== requestId)
    return damaged(`It was handed in as ${JSON.stringify(requestId)} and names another request.`);
  const { cost, minute } = spendWords(event, 0);
  const subjects = event.subjects.map(subjectName);
  if (cost !== entry.cost || minute !== entry.minute || subjects.join("\n") !== entry.subjects.join("\n"))
    return damaged("What it costs, whom, or when it started is not what it was handed in with.");
  return { position, raw, event };
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return error;
  }
}
