import { isRecord } from "@quota/core";
import { SLOT_MS, type Trace, type TraceSlot } from "./trace.js";
import { TraceError } from "./traceError.js";

/** How a log is read. */
export interface LogShape {
  /** The member that says who sent the request (default `apiKeyId`). */
  readonly client?: string;
  /** What the log says when a request has been answered, in the member `msg` (default `answered`). Other lines are passed over. */
  readonly message?: string;
}

/**
 * Turns a gateway's own log into a trace: JSON lines, one for each request when it has been answered, with when that was (`time`, in epoch
 * ms or ISO 8601), how long it took (`ms`, if it is said: it arrived so much earlier) and who sent it. Refused requests are demand, too, and
 * counted. Requests of nobody (a health check, a page) are passed over.
 *
 * The first slot is the one of the first request. Where a client sent fewer than three requests in a slot, the gaps say nothing and count as
 * a Poisson process's.
 *
 * @param source names the log in errors: a path.
 * @throws {TraceError} naming the line and member at fault; and where no line says who sent a request.
 * @example
 * recordTrace('{"time":1000,"ms":5,"apiKeyId":"alice","msg":"answered"}', "gateway.log"); // one slot of alice, 1/600 a second
 */
export function recordTrace(log: string, source: string, shape: LogShape = {}): Trace {
  const { client: member = "apiKeyId", message = "answered" } = shape;
  const moments = new Map<string, number[]>();
  let answered = 0;
  log.split(/\r?\n/u).forEach((text, i) => {
    if (text.trim() === "") return;
    const place = { source, line: i + 1 };
    const entry = parsedLine(text, place);
    if (entry["msg"] !== message) return;
    answered += 1;
    const client = entry[member];
    if (client === undefined || client === null) return;
    if (typeof client !== "string" || client === "" || /[,\r\n]/u.test(client))
      throw new TraceError({
        ...{ ...place, field: member },
        problem: `is ${JSON.stringify(client)}, which names nobody.`,
        remedy: "Log an id without commas.",
      });
    const arrivedAt = timeOf(entry, place) - durationOf(entry, place);
    const known = moments.get(client);
    if (known === undefined) moments.set(client, [arrivedAt]);
    else known.push(arrivedAt);
  });
  if (moments.size > 0) return slotsOf(moments);
  throw new TraceError({
    source,
    field: answered === 0 ? "msg" : member,
    problem:
      answered === 0 ? `is "${message}" in no line.` : `is in none of ${String(answered)} lines of requests.`,
    remedy:
      answered === 0
        ? "Name the message of the lines that tell of a request, or log at level debug."
        : "Name the member that says which key sent a request, or log one.",
  });
}

interface Place {
  readonly source: string;
  readonly line: number;
}

function parsedLine(text: string, place: Place): Readonly<Record<string, unknown>> {
  const remedy = "Take the line out, or give a log of JSON lines.";
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch (cause) {
    throw new TraceError({ ...place, problem: "is not JSON.", remedy }, { cause });
  }
  if (isRecord(parsed)) return parsed;
  throw new TraceError({ ...place, problem: "is not an object.", remedy });
}

function timeOf({ time }: Readonly<Record<string, unknown>>, place: Place): number {
  const at = typeof time === "string" ? Date.parse(time) : time;
  if (typeof at === "number" && Number.isFinite(at)) return at;
  throw new TraceError({
    ...{ ...place, field: "time" },
    problem: time === undefined ? "is missing." : `is ${JSON.stringify(time).slice(0, 40)}.`,
    remedy: "Log when it was, in epoch ms or ISO 8601.",
  });
}

function durationOf({ ms = 0 }: Readonly<Record<string, unknown>>, place: Place): number {
  if (typeof ms === "number" && ms >= 0 && Number.isFinite(ms)) return ms;
  throw new TraceError({
    ...{ ...place, field: "ms" },
    problem: `is ${JSON.stringify(ms).slice(0, 40)}.`,
    remedy: "Log how many milliseconds it took, from 0, or leave it out.",
  });
}

function slotsOf(moments: ReadonlyMap<string, readonly number[]>): Trace {
  let earliest = Infinity;
  for (const each of moments.values()) for (const at of each) earliest = Math.min(earliest, at);
  const first = Math.floor(earliest / SLOT_MS);
  return [...moments].flatMap(([client, unordered]) => {
    const bySlot = new Map<number, number[]>();
    for (const at of unordered.toSorted((a, b) => a - b)) {
      const slot = Math.floor(at / SLOT_MS) - first;
      const known = bySlot.get(slot);
      if (known === undefined) bySlot.set(slot, [at]);
      else known.push(at);
    }
    return [...bySlot].map(([slot, each]): TraceSlot => ({
      ...{ client, slot },
      requestsPerSecond: each.length / (SLOT_MS / 1000),
      gapCv: variationOf(each),
    }));
  });
}

/** The coefficient of variation of the gaps between moments that are in order. */
function variationOf(moments: readonly number[]): number {
  const gaps = moments.slice(1).map((at, i) => at - moments[i]!);
  if (gaps.length < 2) return 1;
  const mean = gaps.reduce((sum, gap) => sum + gap, 0) / gaps.length;
  if (mean === 0) return 1;
  const variance = gaps.reduce((sum, gap) => sum + (gap - mean) ** 2, 0) / gaps.length;
  return Math.sqrt(variance) / mean;
}
