import { QuotaConfigError } from "@quota/core";
import type { TriedRule } from "./rule.js";

/**
 * The rule that a word stands for: `threshold`, `static`, `open`, `reserve` (at pace), or `reserve:κ` (held until 1/κ of the window is left).
 *
 * @throws {QuotaConfigError} for any other word.
 * @example
 * ruleNamed("reserve:2"); // { name: "reserve, hold 2", lending: { rule: "reserve", curve: { hold: 2 } } }
 */
export function ruleNamed(word: string): TriedRule {
  if (word === "threshold" || word === "static" || word === "open") return { name: word, lending: word };
  if (word === "reserve" || word === "reserve:pace") return { name: "reserve, pace", lending: "reserve" };
  const hold = /^reserve:(\d+(?:\.\d+)?)$/u.exec(word)?.[1];
  if (hold !== undefined && Number(hold) > 0)
    return { name: `reserve, hold ${hold}`, lending: { rule: "reserve", curve: { hold: Number(hold) } } };
  throw new QuotaConfigError({
    code: "unknown-rule",
    field: "rules",
    problem: `"${word.slice(0, 40)}" is no rule of lending.`,
    remedy: `Write one of ${[...DEFAULT_RULES].join(", ")}; reserve:κ takes any number above 0.`,
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
