import type { SpendGroupJson, SpendJson } from "./spendJson.js";

/** One UTC day of a range, with what was spent on it. */
export interface SpendDay extends Omit<SpendGroupJson, "group"> {
  /** `2026-03-01`. */
  readonly day: string;
  readonly isToday: boolean;
}

/** Every day of the range, oldest first: the gateway leaves out those on which nothing was spent. */
export function spendDays({ from, to, generatedAt, groups }: SpendJson): readonly SpendDay[] {
  const known = new Map(groups.map((group) => [group.group, group]));
  const today = generatedAt.slice(0, DAY_LENGTH);
  const days: SpendDay[] = [];
  for (let at = Date.parse(from); at < Date.parse(to); at += DAY_MS) {
    const day = new Date(at).toISOString().slice(0, DAY_LENGTH);
    days.push({ ...NOTHING, ...known.get(day), day, isToday: day === today });
  }
  return days;
}

const DAY_MS = 86_400_000;
const DAY_LENGTH = "2026-03-01".length;
const NOTHING = { costUsd: "0", hotUsd: null, requests: 0, unpriced: 0 };
