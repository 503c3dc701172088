import { isRecord, type Members } from "../isRecord.js";
import type { StatedReset } from "./believedReset.js";
import type { Findings } from "./findings.js";
import { listIn } from "./listIn.js";
import { textIn } from "./textIn.js";
import { CHINA_MINUTES, readMoment } from "./readMoment.js";
import { readNumber } from "./readNumber.js";
import { usedPart } from "./usedPart.js";
import { windowOfLength, type NamedWindow } from "./windowOfLength.js";

/** The two windows of a model, and what their fields begin with. */
const WINDOWS_SAID = [
  { window: "5h", counts: "current_interval", times: "" },
  { window: "weekly", counts: "current_weekly", times: "weekly_" },
] as const;

/** What the status of a window says beyond "as usual" (1). */
const SPENT = 2;
const NO_LIMIT = 3;

/**
 * The usage endpoint of MiniMax (`coding_plan/remains`): the field called `usage_count` holds what is *left* of `total_count`. Where the
 * totals are 0 the plan tells `remaining_percent` alone (0 to 100); a status of 2 says that it is spent, of 3 that it has no such limit. The row named `general`, or else the first of a text model,
 * is the account's; others have their model as scope. `end_time` is an epoch in milliseconds, `remains_time` the milliseconds
 * until then; a time without a zone is UTC+8.
 */
export function readMiniMaxUsage(body: Members, findings: Findings): void {
  const data = isRecord(body["data"]) ? body["data"] : body;
  const rows = listIn(data["model_remains"]).filter(isRecord);
  if (rows.length === 0) {
    readRow({ row: data, path: "", scope: undefined }, findings);
    return;
  }
  const ofAccount = accountRow(rows);
  for (const [index, row] of rows.entries()) {
    const scope = row === ofAccount ? undefined : (textIn(row["model_name"]) ?? `row ${index}`);
    readRow({ row, path: `model_remains[${index}].`, scope }, findings);
  }
}

function accountRow(rows: readonly Members[]): Members | undefined {
  const nameOf = (row: Members): string => (textIn(row["model_name"]) ?? "").toLowerCase();
  return rows.find((row) => nameOf(row) === "general") ?? rows.find((row) => isOfText(nameOf(row)));
}

/** Rows of text models are named for the model or for the plan; a row that stands alone may have no name. */
function isOfText(name: string): boolean {
  return name === "" || name.startsWith("minimax-m") || name.startsWith("coding-plan");
}

interface Row {
  readonly row: Members;
  readonly path: string;
  readonly scope: string | undefined;
}

function readRow({ row, path, scope }: Row, findings: Findings): void {
  for (const { window, counts, times } of WINDOWS_SAID) {
    const status = row[`${counts}_status`];
    if (status === NO_LIMIT) continue;
    const total = `${counts}_total_count`;
    const left = `${counts}_usage_count`;
    const part = usedPart(
      { limit: row[total], remaining: row[left] },
      { limit: path + total, remaining: path + left },
      findings,
    );
    const percentField = `${counts}_remaining_percent`;
    const percent =
      part === undefined ? readNumber(row[percentField], path + percentField, findings) : undefined;
    if (part === undefined && percent === undefined && status !== SPENT) continue;
    const field = { row, path, times };
    findings.add({
      unit: "tokens",
      ...(windowBetween(field, findings) ?? { window }),
      utilization: part?.utilization ?? Math.max(0, 1 - (percent ?? 0) / 100),
      limit: part?.limit,
      remaining: part?.remaining,
      reset: resetIn(field, findings),
      scope,
      source: path + (part !== undefined ? left : percent !== undefined ? percentField : `${counts}_status`),
    });
  }
}

interface TimeFields {
  readonly row: Members;
  readonly path: string;
  readonly times: string;
}

/** The window, where the row says from when to when it is. */
function windowBetween({ row, path, times }: TimeFields, findings: Findings): NamedWindow | undefined {
  const [start, end] = ([`${times}start_time`, `${times}end_time`] as const).map((name) =>
    readMoment(row[name], path + name, { findings, localMinutes: CHINA_MINUTES }),
  );
  return start === undefined || end === undefined ? undefined : windowOfLength(end - start);
}

function resetIn({ row, path, times }: TimeFields, findings: Findings): StatedReset {
  const endField = `${times}end_time`;
  const leftField = `${times}remains_time`;
  const at = readMoment(row[endField], path + endField, { findings, localMinutes: CHINA_MINUTES });
  const afterMs = readNumber(row[leftField], path + leftField, findings);
  return { at, afterMs, source: path + (at === undefined ? leftField : endField) };
}
