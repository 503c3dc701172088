import type { EpochMs, Unit } from "../units.js";
import { believedReset, type StatedReset } from "./believedReset.js";
import type { ProviderAnswer, ProviderSignals } from "./readProviderSignals.js";
import type { ProviderReading } from "./providerReading.js";
import { shownValue } from "./shownValue.js";
import { lengthOfWindow } from "./windowOfLength.js";

/** What a reader found, before it is known whether it can be believed. */
export interface Finding {
  readonly unit: Unit;
  readonly window: string | null;
  /** How long the window is; where undefined, what its name says. */
  readonly lengthMs?: number | undefined;
  readonly utilization: number;
  readonly limit?: number | undefined;
  readonly remaining?: number | undefined;
  readonly reset?: StatedReset | undefined;
  readonly scope?: string | undefined;
  readonly source: string;
  /** The provider has refused because of this window: if it does not say until when, it is full as long as it asks to wait. */
  readonly refused?: boolean | undefined;
}

/** Where the readers of one answer put what they find. */
export interface Findings {
  readonly provider: string;
  readonly status: number;
  readonly receivedAt: EpochMs;
  /** What has been found to be true so far. */
  readonly readings: readonly ProviderReading[];
  add(finding: Finding): void;
  /** The provider has refused because of a window that it says is not quite full. */
  fill(reading: ProviderReading): void;
  /** The provider asks to wait this long. The longest wait that it names is kept. */
  wait(ms: number, source: string): void;
  /** A sentence that names the field. */
  note(sentence: string): void;
  signals(): ProviderSignals;
}

/** No window is used a hundred times over: such a number was meant otherwise. */
const MOST_UTILIZATION = 100;
/** No provider asks to wait longer. */
const LONGEST_WAIT_MS = 366 * 86_400_000;
/** Nobody has more windows; an answer must not fill a gateway's memory. */
const MOST_READINGS = 100;
const MOST_NOTES = 50;

/** Findings of one answer, none yet. */
export function createFindings({ provider, status, receivedAt }: ProviderAnswer): Findings {
  const readings: Mutable<ProviderReading>[] = [];
  const notes: string[] = [];
  const open: { readonly reading: Mutable<ProviderReading>; readonly lengthMs: number | undefined }[] = [];
  let retryAfterMs: number | undefined;
  const note = (sentence: string): void => {
    if (notes.length < MOST_NOTES) notes.push(sentence);
  };

  return {
    provider,
    status,
    receivedAt,
    readings,
    note,
    add(finding) {
      const { unit, window, utilization, limit, remaining, reset, scope, source } = finding;
      if (!(utilization >= 0 && utilization <= MOST_UTILIZATION)) {
        note(`${source} says that the window is used ${shownValue(utilization)} times over: not believed.`);
        return;
      }
      if (readings.length >= MOST_READINGS) {
        note(`${source} is one limit too many: not read.`);
        return;
      }
      const lengthMs = finding.lengthMs ?? lengthOfWindow(window);
      const reading: Mutable<ProviderReading> = { provider, unit, window, utilization, receivedAt, source };
      if (limit !== undefined) reading.limit = limit;
      if (remaining !== undefined) reading.remaining = remaining;
      if (scope !== undefined) reading.scope = scope;
      const resetsAt = reset && believedReset(reset, { receivedAt, lengthMs, note });
      if (resetsAt !== undefined) reading.resetsAt = resetsAt;
      else if (finding.refused === true) open.push({ reading, lengthMs });
      readings.push(reading);
    },
    fill(reading) {
      const found = readings.find((each) => each === reading);
      if (found !== undefined) found.utilization = Math.max(1, found.utilization);
    },
    wait(ms, source) {
      if (!(ms >= 0 && ms <= LONGEST_WAIT_MS)) {
        note(`${source} asks to wait ${shownValue(ms)} ms: not believed.`);
        return;
      }
      const whole = Math.max(0, Math.ceil(ms - 1e-6));
      if (retryAfterMs === undefined || whole > retryAfterMs) retryAfterMs = whole;
    },
    signals() {
      if (retryAfterMs === undefined) return { readings, notes };
      if (retryAfterMs > 0)
        for (const { reading, lengthMs } of open)
          reading.resetsAt = receivedAt + Math.min(retryAfterMs, lengthMs ?? Infinity);
      return { readings, retryAfterMs, notes };
    },
  };
}

type Mutable<Type> = { -readonly [Key in keyof Type]: Type[Key] };
