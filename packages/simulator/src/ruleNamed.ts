import { lendingSpec, parseLending, QuotaConfigError, type Lending } from "@quota/core";
import type { TriedRule } from "./rule.js";

/**
 * The rule that a word stands for: `threshold`, `static`, `open`, `reserve` (at pace), or `reserve:κ` (held until 1/κ of the window is left).
 *
 * @throws {QuotaConfigError} for any other word.
 * @example
 * ruleNamed("reserve:2"); // { name: "reserve, hold 2", lending: { rule: "reserve", curve: { hold: 2 } } }
 */
export function ruleNamed(word: string): TriedRule {
  const hold = /^reserve:(\d+(?:\.\d+)?)$/u.exec(word)?.[1];
  const parsed = parseLending(
    hold === undefined ? word : { rule: "reserve", curve: { hold: Number(hold) } },
    "rules",
  );
  if (parsed.ok) return { name: nameOf(parsed.value), lending: lendingSpec(parsed.value) };
  throw new QuotaConfigError({
    code: "unknown-rule",
    field: "rules",
    problem: `"${word.slice(0, 40)}" is no rule of lending.`,
    remedy: `Write one of ${DEFAULT_RULES.join(", ")}; reserve:κ takes any number above 0 and up to 1000.`,
  });
}

/** What is tried unless somebody says otherwise. */
export const DEFAULT_RULES: readonly string[] = [
  "threshold",
  "static",
  "open",
  "reserve",
  "reserve:1",
  "reserve:2",
  "reserve:4",
];

function nameOf(lending: Lending): string {
  if (lending.rule !== "reserve") return lending.rule;
  return lending.curve === "pace" ? "reserve, pace" : `reserve, hold ${String(lending.curve.hold)}`;
}
