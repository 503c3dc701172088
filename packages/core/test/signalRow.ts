import { expect } from "vitest";
import { readProviderSignals, type ProviderAnswer, type ProviderReading } from "@quota/core";

/** An answer of a provider, and what is to be read in it. */
export interface SignalRow extends Partial<Omit<ProviderAnswer, "receivedAt">> {
  readonly provider: string;
  /** RFC 3339. */
  readonly receivedAt: string;
  /** Exactly these readings, in this order; of each, at least these members, and no reset or scope that is not named. */
  readonly readings: readonly ExpectedReading[];
  readonly retryAfterMs?: number;
  /** What each note must say, in order. */
  readonly notes?: readonly string[];
}

export interface ExpectedReading extends Partial<
  Pick<ProviderReading, "unit" | "utilization" | "limit" | "remaining" | "scope" | "source">
> {
  readonly window: string | null;
  /** RFC 3339. */
  readonly resetsAt?: string;
}

/** Reads the answer of a row, and holds what was read against what it expects. */
export function expectSignals(row: SignalRow): void {
  const receivedAt = Date.parse(row.receivedAt);
  const { provider, status = 200, headers, body } = row;
  const signals = readProviderSignals({ provider, status, headers, body, receivedAt });
  expect(signals.readings.map(shown)).toEqual(
    row.readings.map(({ resetsAt, ...reading }, i) => ({
      ...shown(signals.readings[i]),
      ...reading,
      ...(reading.utilization !== undefined && { utilization: expect.closeTo(reading.utilization, 12) }),
      resetsAt: resetsAt === undefined ? undefined : new Date(Date.parse(resetsAt)).toISOString(),
      scope: reading.scope,
      provider,
      receivedAt,
    })),
  );
  expect(signals.retryAfterMs).toBe(row.retryAfterMs);
  expect(signals.notes).toEqual((row.notes ?? []).map((note): unknown => expect.stringContaining(note)));
}

function shown(reading: ProviderReading | undefined): Record<string, unknown> {
  const resetsAt = reading?.resetsAt;
  return {
    ...reading,
    resetsAt: resetsAt === undefined ? undefined : new Date(resetsAt).toISOString(),
    scope: reading?.scope,
  };
}
