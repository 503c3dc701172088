import { quarterOf, subjectName, type EpochMs, type SpendEvent } from "@quota/core";
import type { SpendAsked, SpendGroup } from "./spendLedger.js";
import { DAY_MS, dayName } from "./spendSpans.js";

/** One event as books add it up, or several that differ in nothing that they are asked for by. */
export interface SpendEntry extends Omit<SpendGroup, "group"> {
  readonly subjects: SpendEvent["subjects"];
  readonly model: string | undefined;
  readonly startedAt: EpochMs | undefined;
  readonly endedAt: EpochMs;
}

/** Adds entries up as asked: largest first, days in the order of time. */
export function spendGroups(
  entries: Iterable<SpendEntry>,
  { groupBy, from, to, of }: SpendAsked,
): readonly SpendGroup[] {
  const groups = new Map<string | undefined, SpendGroup>();
  const payer = of && subjectName(of);
  for (const entry of entries) {
    if (entry.endedAt < from || entry.endedAt >= to) continue;
    if (payer !== undefined && !entry.subjects.some((each) => subjectName(each) === payer)) continue;
    const group = groupOf(entry, groupBy);
    const before = groups.get(group);
    groups.set(group, { group, ...(before === undefined ? amountsOf(entry) : plus(before, entry)) });
  }
  return [...groups.values()].sort(groupBy === "day" ? byName : byCost);
}

/** An event as an entry of its own. */
export function enteredEvent({ subjects, cost, startedAt, endedAt, model, tokens }: SpendEvent): SpendEntry {
  return {
    subjects,
    model,
    startedAt,
    endedAt,
    cost: cost === "unpriced" ? 0n : BigInt(cost),
    requests: 1,
    unpriced: cost === "unpriced" ? 1 : 0,
    tokens: {
      input: tokens?.input ?? 0,
      cachedInput: tokens?.cachedInput ?? 0,
      output: tokens?.output ?? 0,
    },
  };
}

/** Adds an entry to the one that it differs from only in when it ended, within one quarter of an hour. When it started stays exact, for budgets once and for all. */
export function mergedEntry(into: Map<string, SpendEntry>, entry: SpendEntry): void {
  const endedAt = quarterOf(entry.endedAt);
  const { subjects, model, startedAt } = entry;
  const name = JSON.stringify([subjects.map(subjectName).sort(), model ?? null, startedAt ?? null, endedAt]);
  const before = into.get(name);
  into.set(name, {
    subjects,
    model,
    startedAt,
    endedAt,
    ...(before === undefined ? amountsOf(entry) : plus(before, entry)),
  });
}

function groupOf({ subjects, model, endedAt }: SpendEntry, by: SpendAsked["groupBy"]): string | undefined {
  if (by === "model") return model;
  if (by === "day") return dayName(Math.floor(endedAt / DAY_MS));
  return subjects.find(({ kind }) => kind === by)?.id;
}

type Amounts = Omit<SpendGroup, "group">;

function amountsOf({ cost, requests, unpriced, tokens }: Amounts): Amounts {
  return { cost, requests, unpriced, tokens };
}

function plus(a: Amounts, b: Amounts): Amounts {
  return {
    cost: a.cost + b.cost,
    requests: a.requests + b.requests,
    unpriced: a.unpriced + b.unpriced,
    tokens: {
      input: a.tokens.input + b.tokens.input,
      cachedInput: a.tokens.cachedInput + b.tokens.cachedInput,
      output: a.tokens.output + b.tokens.output,
    },
  };
}

function byCost(a: SpendGroup, b: SpendGroup): number {
  return a.cost === b.cost ? byName(a, b) : a.cost < b.cost ? 1 : -1;
}

function byName({ group: a = "" }: SpendGroup, { group: b = "" }: SpendGroup): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
