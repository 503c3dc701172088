import { expect, it } from "vitest";
import { compareRules, FIGURES, figuresOf } from "@quota/simulator";
import { markdownTable, page } from "../../core/test/markdownTable.js";
import { readArguments } from "../src/cli/readArguments.js";
import { sectionsOf } from "../src/cli/sectionsOf.js";
import { traceOf } from "../src/cli/traceOf.js";

it("docs/lending.md shows what its command prints", async () => {
  const text = page("docs/lending.md");
  const [, command = ""] = /pnpm simulate (--shape .*)\n/u.exec(text) ?? [];
  const asked = readArguments(command.split(" "));
  const { seed, rules } = asked;
  const trace = await traceOf(asked.traffic, { seed, at: (path) => path });
  const [section] = sectionsOf(asked, trace);
  const results = await compareRules({ workload: section!.workload, rules, seed });
  const shown = rowsOf(text);
  expect(shown.map(({ rule }) => rule!.replaceAll("`", ""))).toEqual(results.map(({ rule }) => rule.name));
  results.forEach(({ summary }, i) => {
    const figures = figuresOf(summary);
    FIGURES.forEach(({ title }, f) => {
      const said = shown[i]![title];
      if (said !== undefined) expect([title, said]).toEqual([title, figures[f]]);
    });
    expect(Object.keys(shown[i]!).length).toBeGreaterThan(4);
  });
});

/** The table of figures begins with the same column as the one of rules: it is the one behind the command. */
function rowsOf(text: string): readonly Readonly<Record<string, string>>[] {
  return markdownTable(text.slice(text.indexOf("pnpm simulate --shape")), "rule");
}
