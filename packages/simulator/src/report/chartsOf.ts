import type { RuleResult } from "../compareRules.js";
import type { Workload } from "../workload.js";
import { barChart } from "./barChart.js";
import { escapeText } from "./escapeText.js";
import { lineChart, type Line } from "./lineChart.js";
import { reserveChart } from "./reserveChart.js";
import { roundMost } from "./roundMost.js";

const WIDE = { width: 720, height: 240 } as const;
const SMALL = { width: 340, height: 180 } as const;

/** The charts of one workload: what rules came to, and how, window for window, or within the one window that there is. */
export function chartsOf(workload: Workload, results: readonly RuleResult[]): string {
  const names = results.map(({ rule }, i) => ({ name: rule.name, look: i }));
  const bars = (title: string, of: (result: RuleResult) => number, most: number): string =>
    figure(
      title,
      barChart({
        bars: results.map((result, i) => ({ ...names[i]!, value: of(result) })),
        words: { title, write: percent },
        size: SMALL,
        most,
      }),
    );
  const held = "Held of an idle key's share";
  const reserve = reserveChart(
    results.map(({ rule }) => rule),
    { title: held, size: SMALL },
  );
  const worst = Math.max(...results.map(({ summary }) => summary.shortfall));
  const charts = [
    bars("Utilization", ({ summary }) => summary.utilization, 1),
    bars(
      "Shortfall against max-min",
      ({ summary }) => summary.shortfall,
      roundMost(Math.max(0.05, worst * 1.1)),
    ),
    ...(reserve === undefined ? [] : [figure(held, reserve)]),
  ];
  const inTime = workload.windows > 1 ? windowCharts(workload, results) : courseCharts(workload, results);
  return `${legend(names)}<div class="charts">${charts.join("")}</div>${inTime}`;
}

/** A number of windows: how full they would have been, and what was lacking in each. */
function windowCharts({ windows }: Workload, results: readonly RuleResult[]): string {
  const ends = ["first window", `window ${String(windows)}`] as const;
  const demand = results[0]?.summary.perWindow.map(({ load }) => load) ?? [];
  const loads = "What was asked for in each window, as a part of its limit";
  const lacking = "Shortfall against max-min in each window";
  return [
    figure(
      loads,
      lineChart({
        lines: [
          { name: "asked for", values: demand, look: 0 },
          { name: "the limit", values: demand.map(() => 1), look: "quiet" },
        ],
        words: { title: loads, write: percent, ends },
        size: WIDE,
      }),
      "large",
    ),
    figure(
      lacking,
      lineChart({
        lines: results.map(({ rule, summary }, look) => ({
          ...{ name: rule.name, look },
          values: summary.perWindow.map(({ shortfall }) => shortfall),
        })),
        words: { title: lacking, write: percent, ends },
        size: WIDE,
      }),
      "large",
    ),
  ].join("");
}

/** One window: what each key had been let have, as time went by, under each rule. */
function courseCharts({ limit }: Workload, results: readonly RuleResult[]): string {
  const courses = results.map(({ rule, summary }) => ({
    rule,
    lines: summary.course.map((parts, key): Line => {
      let sum = 0;
      return {
        name: summary.perKey[key]!.id,
        values: [0, ...parts.map((part) => (sum += part) / limit)],
        look: key === 0 ? 0 : "quiet",
      };
    }),
  }));
  const most = roundMost(Math.max(...courses.flatMap(({ lines }) => lines.flatMap(({ values }) => values))));
  const charts = courses.map(({ rule, lines }) => {
    const title = `${rule.name}: what each key was let have, as a part of the limit`;
    const words = { title, write: percent, ends: ["opens", "ends"] } as const;
    return figure(rule.name, lineChart({ lines, words, size: SMALL, most }));
  });
  return `<p>What each key was let have by then, as a part of the limit. The first key is drawn in colour.</p><div class="charts">${charts.join("")}</div>`;
}

function legend(names: readonly { readonly name: string; readonly look: number }[]): string {
  const items = names.map(({ name, look }) => {
    const line = `<svg viewBox="0 0 24 8" aria-hidden="true"><path class="line s${String(look)}" d="M0 4H24"/></svg>`;
    return `<li>${line}${escapeText(name)}</li>`;
  });
  return `<ul class="legend">${items.join("")}</ul>`;
}

function figure(caption: string, chart: string, shape = "small"): string {
  return `<figure class="${shape}"><figcaption>${escapeText(caption)}</figcaption>${chart}</figure>`;
}

function percent(part: number): string {
  return `${(part * 100).toFixed(part < 0.0995 && part > 0 ? 1 : 0)} %`;
}
