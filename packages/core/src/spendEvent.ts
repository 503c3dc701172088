import type { Fault, Parsed } from "./fault.js";
import { idFault } from "./id.js";
import { isRecord } from "./isRecord.js";
import type { NanoUsd } from "./nanoUsd.js";
import { SUBJECT_KINDS, type SpendSubject } from "./spendSubject.js";
import type { EpochMs } from "./units.js";
import { wholeFault } from "./wholeFault.js";

/** What one settled request cost, and whom. It is handed to the ledger once. */
export interface SpendEvent {
  /** The engine's own, and what makes a repeat a repeat: ids from providers come again. */
  readonly requestId: string;
  /** At least one, at most one of each kind. Each of them bears the whole cost. */
  readonly subjects: readonly SpendSubject[];
  /** `"unpriced"` where nobody knows what the model costs: kept and shown as such, and adding no money. */
  readonly cost: NanoUsd | "unpriced";
  /** When the request was admitted; it belongs to the budget period that this lies in. Without it, to whichever is asked about. */
  readonly startedAt?: EpochMs | undefined;
  readonly endedAt: EpochMs;
  /** This, `connectionId` and `model`: at most `MAX_ID_LENGTH` UTF-16 units of well-formed Unicode, as ids are. */
  readonly provider?: string | undefined;
  readonly connectionId?: string | undefined;
  readonly model?: string | undefined;
  readonly tokens?: SpentTokens | undefined;
  readonly outcome: SpendOutcome;
}

/** How the request ended, as far as money is concerned. */
export type SpendOutcome = "answered" | "client-left" | "failed";

/** Tokens as they are priced. All apart, but for reasoning, which is a part of the output. */
export interface SpentTokens {
  readonly input: number;
  readonly cachedInput: number;
  readonly cacheWrite: number;
  readonly output: number;
  readonly reasoning: number;
}

/**
 * Reads an event, as it was handed in or as a queue kept it. All faults are listed at once; members it does not know are dropped.
 *
 * @example
 * parseSpendEvent({ requestId: "r1", subjects: [{ kind: "key", id: "alice" }], cost: 1200, endedAt: 0, outcome: "answered" });
 */
export function parseSpendEvent(input: unknown): Parsed<SpendEvent> {
  if (!isRecord(input))
    return {
      ok: false,
      faults: [{ path: "", code: "not-an-object", message: "The event must be an object." }],
    };
  const { requestId, subjects, cost, startedAt, endedAt, provider, connectionId, model, tokens, outcome } =
    input;
  const faults: Fault[] = [];
  const note = (fault: Fault | undefined): void => {
    if (fault) faults.push(fault);
  };
  note(idFault(requestId, "requestId"));
  const payers = readSubjects(subjects, faults);
  if (cost !== "unpriced")
    note(wholeFault(cost, "cost", 'whole nano-dollars from 0 to 2^53 − 1, or "unpriced"'));
  if (startedAt !== undefined) note(wholeFault(startedAt, "startedAt", "milliseconds since 1970"));
  note(wholeFault(endedAt, "endedAt", "milliseconds since 1970"));
  note(nameFault(provider, "provider"));
  note(nameFault(connectionId, "connectionId"));
  note(nameFault(model, "model"));
  const used = tokens === undefined ? undefined : readTokens(tokens, faults);
  if (outcome !== "answered" && outcome !== "client-left" && outcome !== "failed")
    note({
      path: "outcome",
      code: "unknown-word",
      message: 'outcome must be "answered", "client-left" or "failed".',
    });
  if (faults.length > 0) return { ok: false, faults };
  return {
    ok: true,
    value: {
      requestId: requestId as string,
      subjects: payers,
      cost: cost as NanoUsd | "unpriced",
      ...(startedAt === undefined ? {} : { startedAt: startedAt as EpochMs }),
      endedAt: endedAt as EpochMs,
      ...(provider === undefined ? {} : { provider: provider as string }),
      ...(connectionId === undefined ? {} : { connectionId: connectionId as string }),
      ...(model === undefined ? {} : { model: model as string }),
      ...(used === undefined ? {} : { tokens: used }),
      outcome: outcome as SpendOutcome,
    },
  };
}

/** A name may be left out or empty; else it is kept, and told apart from others, as an id is. */
function nameFault(value: unknown, path: string): Fault | undefined {
  if (value === undefined || value === "") return undefined;
  if (typeof value === "string") return idFault(value, path);
  return { path, code: "not-a-text", message: `${path} must be a text; correct it or leave it out.` };
}

function readSubjects(value: unknown, faults: Fault[]): readonly SpendSubject[] {
  if (!Array.isArray(value) || value.length === 0) {
    faults.push({
      path: "subjects",
      code: "no-subject",
      message: "subjects must be a list of at least one { kind, id }; say who pays.",
    });
    return [];
  }
  const read: SpendSubject[] = [];
  for (const [i, each] of value.entries()) {
    const path = `subjects[${String(i)}]`;
    const { kind, id } = isRecord(each) ? each : {};
    const known = SUBJECT_KINDS.find((one) => one === kind);
    if (known === undefined)
      faults.push({
        path: `${path}.kind`,
        code: "unknown-word",
        message: `${path}.kind must be one of ${SUBJECT_KINDS.join(", ")}.`,
      });
    else if (read.some((one) => one.kind === known))
      faults.push({
        path,
        code: "duplicate",
        message: `${path} is the second ${known}; a request has at most one of each kind.`,
      });
    const malformed = idFault(id, `${path}.id`);
    if (malformed) faults.push(malformed);
    if (known !== undefined) read.push({ kind: known, id: id as string });
  }
  return read;
}

const TOKENS = ["input", "cachedInput", "cacheWrite", "output", "reasoning"] as const;

function readTokens(value: unknown, faults: Fault[]): SpentTokens | undefined {
  if (!isRecord(value)) {
    faults.push({
      path: "tokens",
      code: "not-an-object",
      message: "tokens must be an object of whole numbers.",
    });
    return undefined;
  }
  for (const name of TOKENS) {
    const fault = wholeFault(value[name], `tokens.${name}`, "a whole number from 0 to 2^53 − 1");
    if (fault) faults.push(fault);
  }
  const { input, cachedInput, cacheWrite, output, reasoning } = value as unknown as SpentTokens;
  return { input, cachedInput, cacheWrite, output, reasoning };
}
