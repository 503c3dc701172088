import { TraceError } from "./traceError.js";
import type { Trace, TraceSlot } from "./trace.js";

/** The columns that a trace has, in whatever order; others are passed over. */
export const COLUMNS = ["client", "slot", "requests_per_second", "gap_cv"] as const;

/** Above this many slots (some 190 years) a number is a mistake, such as a time of day. */
const LAST_SLOT = 10_000_000;
/** Gaps that vary more than this are all but nothing, and then for ever. */
const MOST_GAP_CV = 1_000;

/**
 * Reads a trace from a table of comma-separated values with the columns `client`, `slot`, `requests_per_second` and `gap_cv`.
 *
 * @param source names the text in errors: a path.
 * @throws {TraceError} naming the line, the field and what to write instead, for the first one that is at fault.
 * @example
 * parseTrace("client,slot,requests_per_second,gap_cv\na,0,1.5,1\n", "example"); // [{ client: "a", slot: 0, requestsPerSecond: 1.5, gapCv: 1 }]
 */
export function parseTrace(text: string, source: string): Trace {
  const lines = text.replace(/^\uFEFF/u, "").split(/\r?\n/u);
  const header = (lines[0] ?? "").split(",").map((name) => name.trim());
  const at = COLUMNS.map((column) => {
    const found = header.indexOf(column);
    if (found >= 0) return found;
    throw new TraceError({
      ...{ source, line: 1, field: column },
      problem: `is not among the columns "${header.join(",").slice(0, 100)}".`,
      remedy: `Write ${COLUMNS.join(",")} as the first line.`,
    });
  });
  const trace: TraceSlot[] = [];
  const seen = new Map<string, number>();
  lines.forEach((line, i) => {
    if (i === 0 || line.trim() === "") return;
    const slot = parseSlot(line, { at, source, line: i + 1 });
    const name = `${String(slot.slot)} ${slot.client}`;
    const before = seen.get(name);
    if (before !== undefined)
      throw new TraceError({
        ...{ source, line: i + 1, field: "slot" },
        problem: `says slot ${String(slot.slot)} of client ${slot.client} again: line ${String(before)} did.`,
        remedy: "Keep one line for a client and slot.",
      });
    seen.set(name, i + 1);
    trace.push(slot);
  });
  if (trace.some(({ requestsPerSecond }) => requestsPerSecond > 0)) return trace;
  throw new TraceError({
    ...{ source, line: lines.length, field: "requests_per_second" },
    problem: "is above 0 in no line: there is no traffic in it.",
    remedy: "Write a line for each client and slot of ten minutes in which it sent something.",
  });
}

function parseSlot(
  text: string,
  place: { readonly at: readonly number[]; readonly source: string; readonly line: number },
): TraceSlot {
  const { at, source, line } = place;
  const cells = text.split(",");
  const [client = "", ...numbers] = at.map((column) => cells[column]?.trim() ?? "");
  const refuse = (field: string, value: string, remedy: string): never => {
    const problem = value === "" ? "is missing." : `is "${value.slice(0, 40)}".`;
    throw new TraceError({ source, line, field, problem, remedy });
  };
  if (client === "") refuse("client", client, "Write who sent the requests, without commas.");
  const [slot, requestsPerSecond, gapCv] = numbers.map((cell) => (cell === "" ? NaN : Number(cell)));
  if (!(Number.isSafeInteger(slot) && slot! >= 0 && slot! <= LAST_SLOT))
    refuse(
      "slot",
      numbers[0]!,
      `Write which slot of ten minutes it is: a whole number from 0 to ${String(LAST_SLOT)}.`,
    );
  if (!(requestsPerSecond! >= 0 && requestsPerSecond! < Infinity))
    refuse("requests_per_second", numbers[1]!, "Write a number from 0.");
  if (!(gapCv! >= 0 && gapCv! <= MOST_GAP_CV))
    refuse(
      "gap_cv",
      numbers[2]!,
      `Write a number from 0 to ${String(MOST_GAP_CV)}, such as 1 for gaps as in a Poisson process.`,
    );
  return { client, slot: slot!, requestsPerSecond: requestsPerSecond!, gapCv: gapCv! };
}
