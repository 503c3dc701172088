import type { BudgetJson, BudgetPeriodJson } from "../api/budgetJson.js";
import { momentText } from "../ui/formats.js";

/** What is said where a budget is typed. */
export const BUDGET_WORDS = {
  budgetUsd: "Budget in US dollars",
  budgetPeriod: "For",
  budgetSince: "Counted since",
  budgetZone: "Time zone",
  budgetUnpriced: "Requests to models without a price",
} as const;

export const PERIOD_WORDS: Readonly<Record<BudgetPeriodJson, string>> = {
  day: "each day",
  week: "each week, from Monday",
  month: "each month",
  once: "once and for all",
};

export const UNPRICED_WORDS: Readonly<Record<BudgetJson["whenUnpriced"], string>> = {
  allow: "let them through; they count nothing",
  refuse: "refuse them",
};

/** A field's value in words, for whoever is told what somebody else has changed; undefined: it is none of these fields. */
export function budgetShown(field: string, value: string): string | undefined {
  if (field === "budgetPeriod") return PERIOD_WORDS[value as BudgetPeriodJson];
  if (field === "budgetSince") return value === "" ? "none" : momentText(Date.parse(value));
  if (field === "budgetUnpriced") return UNPRICED_WORDS[value as BudgetJson["whenUnpriced"]];
  return undefined;
}
