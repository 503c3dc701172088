import type { RuleResult } from "../compareRules.js";
import type { Workload } from "../workload.js";
import { chartsOf } from "./chartsOf.js";
import { escapeText } from "./escapeText.js";
import { FIGURES, figuresOf } from "./figuresOf.js";
import { STYLE } from "./style.js";

/** One workload and what its rules came to. */
export interface ReportSection {
  readonly workload: Workload;
  /** What happens, in a sentence or two. */
  readonly story: string;
  readonly results: readonly RuleResult[];
}

/**
 * The report: one page of HTML that needs nothing from elsewhere, light or dark as the reader has it.
 *
 * @example
 * await writeFile("simulation.html", reportPage([{ workload, story: "Our traffic of March.", results }]));
 */
export function reportPage(sections: readonly ReportSection[]): string {
  const title = `What each rule of lending would do: ${sections.map(({ workload }) => workload.name).join(", ")}`;
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeText(title)}</title>
<style>${STYLE}</style>
<main>
<h1>What each rule of lending would do</h1>
${sections.map(sectionOf).join("\n")}
<h2>What the columns say</h2>
<dl>${FIGURES.map((figure) => `<dt>${escapeText(figure.title)}</dt><dd>${escapeText(figure.meaning)}.</dd>`).join("")}</dl>
</main>
</html>
`;
}

function sectionOf({ workload, story, results }: ReportSection): string {
  return `<section>
<h2>${escapeText(workload.name)}</h2>
<p>${escapeText(story)}</p>
${tableOfRules(results)}
${chartsOf(workload, results)}
${tableOfKeys(results)}
</section>`;
}

function tableOfRules(results: readonly RuleResult[]): string {
  const rows = results.map(
    ({ rule, summary }) =>
      `<tr><th scope="row">${escapeText(rule.name)}</th>${figuresOf(summary).map(cell).join("")}</tr>`,
  );
  const head = FIGURES.map(({ title }) => `<th scope="col">${escapeText(title)}</th>`).join("");
  return scrolling(
    `<table><caption>Rules</caption><thead><tr><th scope="col">rule</th>${head}</tr></thead><tbody>${rows.join("")}</tbody></table>`,
  );
}

/** Who got what: of each key what it asked for, and of its part in hindsight how much it got under each rule. */
function tableOfKeys(results: readonly RuleResult[]): string {
  const keys = results[0]?.summary.perKey ?? [];
  const head = results.map(({ rule }) => `<th scope="col">${escapeText(rule.name)}</th>`).join("");
  const rows = keys.map(({ id, demand, ideal }, key) => {
    const got = results.map(({ summary }) => {
      const { admitted } = summary.perKey[key]!;
      return cell(ideal === 0 ? "–" : `${((admitted / ideal) * 100).toFixed(0)} %`);
    });
    return `<tr><th scope="row">${escapeText(id)}</th>${cell(String(demand))}${cell(ideal.toFixed(0))}${got.join("")}</tr>`;
  });
  return `<details><summary>Keys: what each got of its part in hindsight</summary>${scrolling(
    `<table><thead><tr><th scope="col">key</th><th scope="col">asked for</th><th scope="col">in hindsight</th>${head}</tr></thead><tbody>${rows.join("")}</tbody></table>`,
  )}</details>`;
}

function cell(text: string): string {
  return `<td>${escapeText(text)}</td>`;
}

/** A table that is wider than the page scrolls by itself, by keyboard, too. */
function scrolling(table: string): string {
  return `<div class="wide" role="region" aria-label="Table" tabindex="0">${table}</div>`;
}
