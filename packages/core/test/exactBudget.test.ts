import { describe, expect, test } from "vitest";
import { exactBudget, type Budget } from "../src/index.js";

const terms = { period: "month", timeZone: "Europe/Paris", since: 0, whenUnpriced: "refuse" } as const;

describe("exactBudget", () => {
  test.each<[string, Budget]>([
    ["a limit that no number of dollars says", { ...terms, limit: Number.MAX_SAFE_INTEGER }],
    ["once and for all, since then", { ...terms, period: "once", limit: 1, since: 1_767_225_600_123 }],
    ["nothing at all", { ...terms, limit: 0 }],
  ])("reads what was written, to the nano-dollar: %s", (_, budget) => {
    const read = exactBudget(JSON.parse(JSON.stringify(budget)));
    expect(read).toEqual({ ok: true, value: budget });
    expect(read.ok && read.value.windows).toBeTypeOf("function");
  });

  test.each([
    ["no object", "limit: 5", ["limit", "period"]],
    ["a limit in fractions", { ...terms, limit: 0.5 }, ["limit"]],
    ["a limit below nothing", { ...terms, limit: -1 }, ["limit"]],
    ["no such zone", { ...terms, limit: 1, timeZone: "Mars" }, ["timeZone"]],
  ])("says what is wrong with %s", (_, input, paths) => {
    const read = exactBudget(input);
    expect(read.ok ? [] : read.faults.map(({ path }) => path)).toEqual(paths);
  });
});
