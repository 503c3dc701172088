import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import {
  compareDimensions,
  dimensionSpec,
  MAX_SLOTS,
  parseDimensions,
  UNITS,
  WINDOW_MS,
  WINDOWS,
  type DimensionSpec,
} from "@quota/core";

const kimi = { unit: "requests", window: "hourly", limit: 1500 } as const;

function codesOf(input: unknown): readonly string[] {
  const parsed = parseDimensions(input);
  return parsed.ok ? [] : parsed.faults.map(({ path, code }) => `${path} ${code}`);
}

describe("a dimension that is right", () => {
  const rows: readonly (readonly [string, DimensionSpec, object])[] = [
    [
      "two buckets unless it says otherwise",
      kimi,
      { name: "requests/hourly", limit: 1500, shape: { slotMs: 3_600_000, slots: 1, edge: "weighted" } },
    ],
    [
      "a limit in percent is kept in millionths",
      { unit: "percent", window: "5h", limit: 100 },
      { name: "percent/5h", limit: 100_000_000 },
    ],
    [
      "an unknown limit is a word",
      { unit: "tokens", window: "weekly", limit: "unknown" },
      { limit: "unknown" },
    ],
    [
      "slots cut the window evenly",
      { ...kimi, slots: 12, edge: "full" },
      { shape: { slotMs: 300_000, slots: 12, edge: "full" } },
    ],
    [
      "without an anchor, it rolls until the provider says when it resets",
      { ...kimi, slots: 2 },
      { anchor: undefined, shape: { slotMs: 1_800_000, slots: 2, edge: "weighted" } },
    ],
    [
      "an anchor makes it one fixed bucket",
      { ...kimi, anchor: "epoch" },
      { anchor: "epoch", shape: { slotMs: 3_600_000, slots: 1, edge: "fixed" } },
    ],
    [
      "the first use is an anchor, of any window",
      { ...kimi, window: "5h", anchor: "first-use" },
      { anchor: "first-use", shape: { slotMs: 18_000_000, slots: 1, edge: "fixed" } },
    ],
    [
      "the calendar of a time zone is an anchor, of days …",
      { ...kimi, window: "daily", anchor: { calendar: "Asia/Tokyo" } },
      { anchor: { calendar: "Asia/Tokyo" }, shape: { slotMs: 86_400_000, slots: 1, edge: "fixed" } },
    ],
    [
      "… of weeks …",
      { ...kimi, window: "weekly", anchor: { calendar: "UTC" } },
      { anchor: { calendar: "UTC" }, shape: { slotMs: 604_800_000, slots: 1, edge: "fixed" } },
    ],
    [
      "… and of months; an old name of a zone is one, too",
      { ...kimi, window: "monthly", anchor: { calendar: "Asia/Calcutta" } },
      { anchor: { calendar: "Asia/Calcutta" }, shape: { slotMs: 2_592_000_000, slots: 1, edge: "fixed" } },
    ],
  ];
  test.each(rows)("%s", (_sentence, spec, expected) => {
    const parsed = parseDimensions([spec]);
    expect(parsed).toMatchObject({ ok: true, value: [expected] });
    const [dimension] = parsed.ok ? parsed.value : [];
    expect(
      [parsed.ok && parsed.value, dimension, dimension?.shape, dimension?.anchor].every(Object.isFrozen),
    ).toBe(true);
  });

  it("may be none at all: an account without limits worth sharing", () => {
    expect(parseDimensions([])).toEqual({ ok: true, value: [] });
  });
});

describe("a dimension that is wrong", () => {
  const rows: readonly (readonly [string, unknown, readonly string[]])[] = [
    ["a plan that is no list", { 0: kimi }, ["dimensions not-a-list"]],
    ["nothing", undefined, ["dimensions not-a-list"]],
    ["a text for a dimension", ["requests/hourly"], ["dimensions[0] not-an-object"]],
    ["null for a dimension", [null], ["dimensions[0] not-an-object"]],
    ["a unit that nobody counts", [{ ...kimi, unit: "words" }], ["dimensions[0].unit unknown-unit"]],
    ["a unit from the prototype", [{ ...kimi, unit: "constructor" }], ["dimensions[0].unit unknown-unit"]],
    ["a window that nobody grants", [{ ...kimi, window: "yearly" }], ["dimensions[0].window unknown-window"]],
    [
      "a window from the prototype",
      [{ ...kimi, window: "toString" }],
      ["dimensions[0].window unknown-window"],
    ],
    ["a limit of 0", [{ ...kimi, limit: 0 }], ["dimensions[0].limit limit-zero"]],
    ["a limit of minus 0", [{ ...kimi, limit: -0 }], ["dimensions[0].limit limit-zero"]],
    [
      "a limit below the smallest amount",
      [{ unit: "usd", window: "daily", limit: 1e-12 }],
      ["dimensions[0].limit limit-zero"],
    ],
    ["a negative limit", [{ ...kimi, limit: -1 }], ["dimensions[0].limit limit-invalid"]],
    ["a limit that is not a number", [{ ...kimi, limit: NaN }], ["dimensions[0].limit limit-invalid"]],
    ["an endless limit", [{ ...kimi, limit: Infinity }], ["dimensions[0].limit limit-invalid"]],
    ["a limit in a text", [{ ...kimi, limit: "1500" }], ["dimensions[0].limit limit-invalid"]],
    ["half a request", [{ ...kimi, limit: 0.5 }], ["dimensions[0].limit limit-invalid"]],
    ["no limit", [{ unit: "requests", window: "hourly" }], ["dimensions[0].limit limit-invalid"]],
    ["the same dimension twice", [kimi, { ...kimi, limit: 10 }], ["dimensions[1] duplicate-dimension"]],
    ["slots that do not divide the window", [{ ...kimi, slots: 7 }], ["dimensions[0].slots slots-uneven"]],
    ["no slots", [{ ...kimi, slots: 0 }], ["dimensions[0].slots slots-out-of-range"]],
    ["too many slots", [{ ...kimi, slots: MAX_SLOTS + 1 }], ["dimensions[0].slots slots-out-of-range"]],
    ["half a slot", [{ ...kimi, slots: 0.5 }], ["dimensions[0].slots slots-out-of-range"]],
    ["slots in a text", [{ ...kimi, slots: "4" }], ["dimensions[0].slots slots-out-of-range"]],
    ["an edge that nobody knows", [{ ...kimi, edge: "sharp" }], ["dimensions[0].edge unknown-edge"]],
    [
      "an anchor that nobody knows",
      [{ ...kimi, anchor: "calendar" }],
      ["dimensions[0].anchor unknown-anchor"],
    ],
    ["no anchor, but a null", [{ ...kimi, anchor: null }], ["dimensions[0].anchor unknown-anchor"]],
    [
      "a calendar without its zone",
      [{ ...kimi, window: "daily", anchor: { calendar: 9 } }],
      ["dimensions[0].anchor unknown-anchor"],
    ],
    [
      "a calendar of hours",
      [{ ...kimi, anchor: { calendar: "UTC" } }],
      ["dimensions[0].anchor anchor-without-calendar"],
    ],
    [
      "a calendar of five hours",
      [{ ...kimi, window: "5h", anchor: { calendar: "UTC" } }],
      ["dimensions[0].anchor anchor-without-calendar"],
    ],
    ...["", "Mars/Olympus", "+09:00", "-03", " UTC", "UTC\0", "constructor", "x".repeat(100_000)].map(
      (calendar) =>
        [
          `a calendar of ${JSON.stringify(calendar.slice(0, 20))}`,
          [{ ...kimi, window: "daily", anchor: { calendar } }],
          ["dimensions[0].anchor.calendar unknown-time-zone"],
        ] as const,
    ),
    [
      "the first use and slots",
      [{ ...kimi, anchor: "first-use", slots: 4 }],
      ["dimensions[0].anchor anchor-with-slots"],
    ],
    [
      "a calendar and an edge",
      [{ ...kimi, window: "daily", anchor: { calendar: "UTC" }, edge: "full" }],
      ["dimensions[0].anchor anchor-with-slots"],
    ],
    [
      "an anchor and slots",
      [{ ...kimi, anchor: "epoch", slots: 4 }],
      ["dimensions[0].anchor anchor-with-slots"],
    ],
    [
      "an anchor and an edge",
      [{ ...kimi, anchor: "epoch", edge: "full" }],
      ["dimensions[0].anchor anchor-with-slots"],
    ],
    [
      "everything at once, in one list",
      [
        { unit: "words", window: "yearly", limit: 0, slots: 0, edge: "sharp", anchor: "moon" },
        kimi,
        { ...kimi, limit: 0 },
      ],
      [
        "dimensions[0].unit unknown-unit",
        "dimensions[0].window unknown-window",
        "dimensions[0].edge unknown-edge",
        "dimensions[0].anchor unknown-anchor",
        "dimensions[0].slots slots-out-of-range",
        "dimensions[2].limit limit-zero",
      ],
    ],
  ];
  test.each(rows)("%s", (_sentence, input, expected) => {
    expect(codesOf(input)).toEqual(expected);
  });

  it('with a limit of 0 is told to write "unknown"', () => {
    const parsed = parseDimensions([{ ...kimi, limit: 0 }]);
    expect(parsed.ok ? "" : parsed.faults[0]?.message).toContain('write "unknown"');
  });

  it.each([
    ["what takes the place of a calendar of hours", { ...kimi, anchor: { calendar: "UTC" } }, '"first-use"'],
    [
      "which zone is unknown",
      { ...kimi, window: "daily", anchor: { calendar: "Mars/Olympus" } },
      '"Mars/Olympus"',
    ],
    ["how anchors are written", { ...kimi, anchor: "moon" }, "{ calendar: a time zone"],
  ])("is told %s", (_sentence, said, words) => {
    const parsed = parseDimensions([said]);
    expect(parsed.ok ? "" : parsed.faults[0]?.message).toContain(words);
  });

  it("begins every message with where, and ends it as a sentence", () => {
    for (const [, input] of rows) {
      const parsed = parseDimensions(input);
      for (const { path, message } of parsed.ok ? [] : parsed.faults) {
        expect(message.startsWith(path)).toBe(true);
        expect(message).toMatch(/\.$/);
      }
    }
  });
});

const spec: fc.Arbitrary<DimensionSpec> = fc
  .record({
    unit: fc.constantFrom(...UNITS),
    window: fc.constantFrom(...WINDOWS),
    limit: fc.oneof(fc.integer({ min: 1, max: 1_000_000 }), fc.constant("unknown" as const)),
    cut: fc.oneof(
      fc.constant({}),
      fc.constantFrom("epoch" as const, "first-use" as const).map((anchor) => ({ anchor })),
      fc.constantFrom("UTC", "Asia/Tokyo", "America/Sao_Paulo").map((calendar) => ({ anchor: { calendar } })),
      fc.constant({ edge: "full" as const }),
      fc.constantFrom(2, 3, 4, 6, 10, 12, 20, 60).map((slots) => ({ slots })),
      fc.constantFrom(2, 3, 4, 6, 10, 12, 20, 60).map((slots) => ({ slots, edge: "full" as const })),
    ),
  })
  .map(({ cut, ...rest }) => ({ ...rest, ...cut }))
  .filter(
    (said) =>
      !("anchor" in said && typeof said.anchor === "object" && ["hourly", "5h"].includes(said.window)),
  );

describe("for any dimension", () => {
  it("what was parsed is written as it was said", () => {
    fc.assert(
      fc.property(spec, (said) => {
        const parsed = parseDimensions([said]);
        expect(parsed.ok && parsed.value.map(dimensionSpec)).toEqual([said]);
        const [dimension] = parsed.ok ? parsed.value : [];
        expect(parseDimensions(JSON.parse(JSON.stringify([dimensionSpec(dimension!)])))).toEqual(parsed);
        expect(dimension!.shape.slotMs * dimension!.shape.slots).toBe(WINDOW_MS[said.window]);
      }),
      { numRuns: 500 },
    );
  });

  it("their order is total, and by unit before window", () => {
    const all = UNITS.flatMap((unit) =>
      WINDOWS.map((window) => ({ unit, window, limit: "unknown" as const })),
    );
    const parsed = parseDimensions(all);
    const inOrder = parsed.ok ? parsed.value : [];
    fc.assert(
      fc.property(fc.shuffledSubarray([...inOrder], { minLength: inOrder.length }), (shuffled) => {
        expect([...shuffled].sort(compareDimensions)).toEqual(inOrder);
      }),
      { numRuns: 100 },
    );
  });

  it("whatever is thrown at the parser, it answers", () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.anything(),
          fc.array(fc.anything()),
          fc.array(
            fc.object({
              key: fc.constantFrom("unit", "window", "limit", "slots", "edge", "anchor", "calendar"),
            }),
          ),
        ),
        (input) => {
          const parsed = parseDimensions(input);
          if (!parsed.ok) expect(parsed.faults.length).toBeGreaterThan(0);
        },
      ),
      { numRuns: 500 },
    );
  });
});
