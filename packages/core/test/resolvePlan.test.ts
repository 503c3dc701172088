import { describe, expect, it, test } from "vitest";
import { CATALOG, dimensionSpec, parseDimensions, resolvePlan, type DimensionSpec } from "@quota/core";

const override = (specs: readonly DimensionSpec[]) => {
  const parsed = parseDimensions(specs);
  if (!parsed.ok) throw new Error("the override is right");
  return parsed.value;
};

describe("what the catalog knows", () => {
  const rows: readonly (readonly [string, readonly string[]])[] = [
    ["codex", ["percent/5h 100", "percent/weekly 100"]],
    ["glm", ["tokens/5h unknown", "tokens/weekly unknown"]],
    ["minimax", ["tokens/5h unknown", "tokens/weekly unknown"]],
    ["bailian", ["percent/5h 100", "percent/weekly 100", "percent/monthly 100"]],
    ["kimi", ["requests/hourly 1500"]],
    ["alibaba", ["requests/monthly 90000"]],
    ["openai", []],
    ["anthropic", []],
    ["nobody has heard of this one", []],
    ["__proto__", []],
    ["constructor", []],
  ];
  test.each(rows)("%s", (provider, expected) => {
    const plan = resolvePlan({ connectionId: "c", provider });
    expect(
      plan.dimensions
        .map(dimensionSpec)
        .map(({ unit, window, limit }) => `${unit}/${window} ${String(limit)}`),
    ).toEqual(expected);
    expect(plan.source).toBe(expected.length > 0 ? "catalog" : "empty");
  });

  it("is no more than that", () => {
    const listed = rows.filter(([, dimensions]) => dimensions.length > 0).map(([provider]) => provider);
    expect([...CATALOG.keys()]).toEqual(listed);
  });
});

describe("which plan holds", () => {
  const own = override([{ unit: "requests", window: "hourly", limit: 100 }]);
  const rows: readonly (readonly [string, Parameters<typeof resolvePlan>[0], string, number])[] = [
    ["an override before the catalog", { connectionId: "c", provider: "kimi", override: own }, "manual", 1],
    [
      "an empty override is an answer too",
      { connectionId: "c", provider: "kimi", override: [] },
      "manual",
      0,
    ],
    [
      "an override for a provider nobody knows",
      { connectionId: "c", provider: "x", override: own },
      "manual",
      1,
    ],
    [
      "a catalog of one's own",
      { connectionId: "c", provider: "x", catalog: new Map([["x", own]]) },
      "catalog",
      1,
    ],
    [
      "… instead of the built-in one",
      { connectionId: "c", provider: "kimi", catalog: new Map() },
      "empty",
      0,
    ],
  ];
  test.each(rows)("%s", (_sentence, question, source, dimensions) => {
    const plan = resolvePlan(question);
    expect(plan).toMatchObject({ connectionId: "c", provider: question.provider, source });
    expect(plan.dimensions).toHaveLength(dimensions);
    expect(Object.isFrozen(plan)).toBe(true);
  });
});
