import type { EpochMs, Unit } from "../units.js";
import type { ProviderAnswer, ProviderSignals } from "./readProviderSignals.js";
import type { ProviderReading } from "./providerReading.js";

/** What a reader found out: a reading before it is known whose it is and whether it can be believed. */
export interface Finding {
  readonly unit: Unit;
  readonly window: string | null;
  readonly utilization: number;
  readonly limit?: number | undefined;
  readonly remaining?: number | undefined;
  readonly resetsAt?: EpochMs | undefined;
  readonly scope?: string | undefined;
  readonly source: string;
}

/** Where the readers of one answer put what they find. */
export interface Findings {
  readonly receivedAt: EpochMs;
  add(finding: Finding): void;
  note(sentence: string): void;
  signals(): ProviderSignals;
}

/** Findings of one answer, none yet. */
export function createFindings({ provider, receivedAt }: ProviderAnswer): Findings {
  const readings: ProviderReading[] = [];
  const notes: string[] = [];
  return {
    receivedAt,
    add({ unit, window, utilization, limit, remaining, resetsAt, scope, source }) {
      readings.push({
        provider,
        unit,
        window,
        utilization,
        ...(limit !== undefined && { limit }),
        ...(remaining !== undefined && { remaining }),
        ...(resetsAt !== undefined && { resetsAt }),
        ...(scope !== undefined && { scope }),
        receivedAt,
        source,
      });
    },
    note: (sentence) => void notes.push(sentence),
    signals: () => ({ readings, notes }),
  };
}
