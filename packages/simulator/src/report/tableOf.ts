import type { RuleResult } from "../compareRules.js";
import { figuresOf, FIGURES } from "./figuresOf.js";

/**
 * The rules' figures as a table, for people.
 *
 * @example
 * console.log(tableOf(await compareRules({ workload, rules, seed: "1" })));
 */
export function tableOf(results: readonly RuleResult[]): string {
  const rows = [
    ["", ...FIGURES.map(({ title }) => title)],
    ...results.map(({ rule, summary }) => [rule.name, ...figuresOf(summary)]),
  ];
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  return rows
    .map((row) =>
      row
        .map((cell, column) => (column === 0 ? cell.padEnd(widths[0]!) : cell.padStart(widths[column]!)))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}
