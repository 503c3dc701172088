import { detailOf, RequestFailure } from "../api/request.js";
import type { DimensionDraft } from "./planDraft.js";

/** What is wrong with a draft, as the gateway said it. */
export interface PlanFaults {
  /** Of one row, by the field's name; `""` is the row as a whole. */
  ofRow(row: number): ReadonlyMap<string, string>;
  /** What concerns no single field. */
  readonly general: string | undefined;
}

/** Sorts the faults of an answer to the rows that were sent, which may have moved since. */
export function planFaults(error: unknown, sent: readonly DimensionDraft[]): PlanFaults {
  const byRow = new Map<number, Map<string, string>>();
  const others: string[] = [];
  for (const { path, message } of errorsOf(error)) {
    const [, index = "", field = ""] = /^dimensions\[(\d+)\](?:\.(.+))?$/u.exec(path) ?? [];
    const row = sent[Number(index)]?.row;
    if (index === "" || row === undefined) others.push(message);
    else byRow.set(row, new Map(byRow.get(row)).set(field, message.replace(`${path} `, "")));
  }
  return { ofRow: (row) => byRow.get(row) ?? NONE, general: generalOf(error, others, byRow.size > 0) };
}

const NONE: ReadonlyMap<string, string> = new Map();

function errorsOf(error: unknown) {
  return error instanceof RequestFailure ? (error.problem.errors ?? []) : [];
}

function generalOf(error: unknown, others: readonly string[], hasMarked: boolean): string | undefined {
  if (error === null || error === undefined) return undefined;
  if (others.length > 0) return others.join(" ");
  return hasMarked ? "Nothing was written. What has to change is marked above." : detailOf(error);
}
