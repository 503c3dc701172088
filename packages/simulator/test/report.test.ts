import { beforeAll, describe, expect, it } from "vitest";
import {
  compareRules,
  figuresOf,
  generateTrace,
  reportPage,
  ruleNamed,
  tableOf,
  workloadOfScript,
  workloadOfTrace,
  type ReportSection,
  type RuleResult,
  type Workload,
} from "@quota/simulator";
import { roundMost } from "../src/report/roundMost.js";

const rules = ["threshold", "open", "reserve:2"].map(ruleNamed);

describe("a report", () => {
  let sections: readonly ReportSection[] = [];
  beforeAll(async () => {
    const trace = generateTrace({ shape: "mixed", clients: 3, days: 1, seed: "1" });
    const odd = trace.map((slot) => ({ ...slot, client: slot.client.replace("client-1", `<img src=x>&"'`) }));
    const workloads: readonly Workload[] = [
      workloadOfTrace(odd, { window: "5h", limit: 100, load: 1.3, weights: [1] }, "our <traffic>"),
      workloadOfScript("hog-then-all", { limit: 100 }),
    ];
    sections = await Promise.all(
      workloads.map(async (workload) => ({
        ...{ workload, story: "What happened & why." },
        results: await compareRules({ workload, rules, seed: "1" }),
      })),
    );
  });

  it("has every number of the table", () => {
    const page = reportPage(sections);
    for (const { results } of sections)
      for (const { rule, summary } of results) {
        const cells = figuresOf(summary).map((figure) => `<td>${figure}</td>`);
        expect(page).toContain(`<th scope="row">${rule.name}</th>${cells.join("")}`);
      }
  });

  it("draws every rule, and every key of a script", () => {
    const page = reportPage(sections);
    for (const { name } of rules) expect(page).toContain(`<title>${name}`);
    expect(page).toContain("Held of an idle key&#39;s share");
    for (const { id } of sections[1]!.workload.keys) expect(page).toContain(`<title>${id}</title>`);
    expect(page.match(/NaN|Infinity|undefined/gu)).toBeNull();
  });

  it("shows names as text, and asks nothing of anybody else", () => {
    const page = reportPage(sections);
    expect(page).toContain("&lt;img src=x&gt;&amp;&quot;&#39;");
    expect(page).toContain("our &lt;traffic&gt;");
    expect(page.match(/<(script|img|link|iframe)|https?:|url\(|@import/giu)).toBeNull();
    expect(page).toContain("prefers-color-scheme:dark");
  });
});

it("a table is aligned, with what each column says above it", async () => {
  const workload = workloadOfScript("lone-key", { limit: 100 });
  const lines = tableOf(await compareRules({ workload, rules, seed: "1" })).split("\n");
  expect(lines.map((line) => line.split(/ {2,}/u)[0])).toEqual(["", ...rules.map(({ name }) => name)]);
  expect(lines[0]).toMatch(
    /^ +utilization +shortfall +Jain +refused inside +lost inside +guarantee lacked +retryAt exact$/u,
  );
  expect(lines[1]).toMatch(/^threshold +50\.0 % +50\.0 % +1\.000 +0\.00 % +0\.00 % +0\.00 % +\d+ of \d+$/u);
  expect(new Set(lines.map(({ length }) => length)).size).toBe(1);
});

it("rules are told of as they are done, and come back in their order", async () => {
  const workload = workloadOfScript("one-whale", { limit: 50 });
  const told: RuleResult[] = [];
  const results = await compareRules({ workload, rules, seed: "1", onResult: (result) => told.push(result) });
  expect(results).toEqual(told);
  expect(results.map(({ rule }) => rule)).toEqual(rules);
});

it.each([
  [0.99, 1],
  [1, 1],
  [1.01, 2],
  [3.34, 4],
  [4.1, 6],
  [0.061, 0.08],
  [85, 100],
])("an axis that must show %f ends at %f", (value, most) => {
  expect(roundMost(value)).toBe(most);
});
