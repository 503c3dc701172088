import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { MAX_ALLOCATIONS, parsePoolTerms, policyOf, type AllocationSpec } from "@quota/core";

const terms = { connectionId: "kimi-demo", name: "Team" };
const weighing = (...weights: readonly unknown[]) => ({
  ...terms,
  allocations: weights.map((weight, i) => ({ apiKeyId: `key-${String(i)}`, weight })),
});
const allocating = (allocation: object) => ({
  ...terms,
  allocations: [{ apiKeyId: "alice", weight: 50, ...allocation }],
});

function codesOf(input: unknown): readonly string[] {
  const parsed = parsePoolTerms(input);
  return parsed.ok ? [] : parsed.faults.map(({ path, code }) => `${path} ${code}`);
}

describe("weights of one pool", () => {
  const nearlyEqual = [...new Array<number>(62).fill(1.59), 1.42];
  const rows: readonly (readonly [string, readonly unknown[], readonly string[]])[] = [
    ["sum to 100", [50, 30, 20], []],
    ["may sum to less: the rest belongs to nobody", [33.33, 33.33, 33.33], []],
    ["may leave most of the pool to nobody", [40], []],
    ["may all be zero", [0, 0], []],
    ["63 nearly equal ones, which total a hair over 100 in doubles", nearlyEqual, []],
    ["100.00000000000006", [50, 50.000_000_000_000_06], []],
    ["one weight of 100.00000000000006", [100.000_000_000_000_06], []],
    ["a hair over, within the tolerance", [50, 50.000_000_9], []],
    ["a hair over, beyond it", [50, 50.000_002], ["allocations weights-over-100"]],
    ["may not sum to 100.4", [33.3, 33.5, 33.6], ["allocations weights-over-100"]],
    ["may not sum to 120", [60, 60], ["allocations weights-over-100"]],
    [
      "may not be negative, even if they sum to 100",
      [-10, 110],
      ["allocations[0].weight weight-out-of-range", "allocations[1].weight weight-out-of-range"],
    ],
    ["may not be NaN", [NaN], ["allocations[0].weight weight-out-of-range"]],
    ["may not be infinite", [Infinity], ["allocations[0].weight weight-out-of-range"]],
    ["may not be a text", ["50"], ["allocations[0].weight weight-out-of-range"]],
    ["may not be missing", [undefined], ["allocations[0].weight weight-out-of-range"]],
  ];
  test.each(rows)("%s", (_sentence, weights, expected) => {
    expect(codesOf(weighing(...weights))).toEqual(expected);
  });

  it("the 63 really are over 100 in doubles", () => {
    expect(nearlyEqual.reduce((sum, weight) => sum + weight, 0)).toBeGreaterThan(100);
  });

  it("says what they sum to", () => {
    const parsed = parsePoolTerms(weighing(33.3, 33.5, 33.6));
    expect(parsed.ok ? "" : parsed.faults[0]?.message).toBe(
      "The weights sum to 100.4; lower them to 100 or less.",
    );
  });
});

describe("a cap", () => {
  const rows: readonly (readonly [string, object, readonly string[]])[] = [
    ["has a value and a unit", { capValue: 10, capUnit: "usd" }, []],
    ["may name its window", { capValue: 10, capUnit: "usd", capWindow: "daily" }, []],
    ["is nothing when nothing is said", {}, []],
    ["needs a unit beside the value", { capValue: 10 }, ["allocations[0].capUnit cap-incomplete"]],
    ["needs a value beside the unit", { capUnit: "usd" }, ["allocations[0].capValue cap-incomplete"]],
    ["needs both beside the window", { capWindow: "daily" }, ["allocations[0].capWindow cap-incomplete"]],
    ["has a known unit", { capValue: 10, capUnit: "eur" }, ["allocations[0].capUnit unknown-unit"]],
    [
      "has a known window",
      { capValue: 10, capUnit: "usd", capWindow: "yearly" },
      ["allocations[0].capWindow unknown-window"],
    ],
    ["is above 0", { capValue: 0, capUnit: "usd" }, ["allocations[0].capValue cap-zero"]],
    ["is not negative", { capValue: -1, capUnit: "usd" }, ["allocations[0].capValue cap-invalid"]],
    ["is a number", { capValue: "10", capUnit: "usd" }, ["allocations[0].capValue cap-invalid"]],
    ["is finite", { capValue: Infinity, capUnit: "usd" }, ["allocations[0].capValue cap-invalid"]],
    [
      "is whole where its unit is",
      { capValue: 0.5, capUnit: "tokens" },
      ["allocations[0].capValue cap-invalid"],
    ],
  ];
  test.each(rows)("%s", (_sentence, cap, expected) => {
    expect(codesOf(allocating(cap))).toEqual(expected);
  });

  it("without a window holds in every window of its unit, and is kept in grains", () => {
    const parsed = parsePoolTerms(allocating({ capValue: 0.5, capUnit: "usd" }));
    expect(parsed.ok && parsed.value.allocations.get("alice")?.cap).toEqual({
      unit: "usd",
      window: "every",
      value: 500_000_000,
    });
  });
});

describe("what else a pool says", () => {
  const rows: readonly (readonly [string, unknown, readonly string[]])[] = [
    ["nothing but the connection and a name", terms, []],
    ["no allocations", { ...terms, allocations: [] }, []],
    ["all it can", { ...terms, unallocated: "deny", saturationThreshold: 0, whenStoreFails: "deny" }, []],
    ["no object", "Team", [" not-an-object"]],
    ["null", null, [" not-an-object"]],
    ["a list", [], [" not-an-object"]],
    ["no connection and no name", {}, ["connectionId id-missing", "name id-missing"]],
    ["a name with a lone surrogate", { ...terms, name: "\ud800" }, ["name id-malformed"]],
    ["an unknown word for the unallocated", { ...terms, unallocated: "share" }, ["unallocated unknown-word"]],
    ["a threshold above 1", { ...terms, saturationThreshold: 1.01 }, ["saturationThreshold out-of-range"]],
    [
      "a threshold that is no number",
      { ...terms, saturationThreshold: NaN },
      ["saturationThreshold out-of-range"],
    ],
    ["a threshold in a text", { ...terms, saturationThreshold: "0.5" }, ["saturationThreshold out-of-range"]],
    ["what was last known", { ...terms, whenStoreFails: "last-known" }, []],
    ["a budget", { ...terms, whenStoreFails: { budget: 0.01 } }, []],
    ["a budget of everything", { ...terms, whenStoreFails: { budget: 1 } }, []],
    ...[
      { budget: 0 },
      { budget: 1.01 },
      { budget: NaN },
      { budget: "0.1" },
      {},
      { budget: 0.1, more: 1 },
      [],
    ].map((whenStoreFails): [string, unknown, string[]] => [
      `a budget that is none: ${JSON.stringify(whenStoreFails)}`,
      { ...terms, whenStoreFails },
      ["whenStoreFails unknown-word"],
    ]),
    ["an unknown word for failures", { ...terms, whenStoreFails: "maybe" }, ["whenStoreFails unknown-word"]],
    ["allocations by key", { ...terms, allocations: { alice: 50 } }, ["allocations not-a-list"]],
    [
      "an allocation that is no object",
      { ...terms, allocations: ["alice"] },
      ["allocations[0] not-an-object"],
    ],
    ["an unknown policy", allocating({ policy: "sotf" }), ["allocations[0].policy unknown-policy"]],
    ["a key without an id", allocating({ apiKeyId: "" }), ["allocations[0].apiKeyId id-missing"]],
    [
      "a key with a megabyte of id",
      allocating({ apiKeyId: "x".repeat(1e6) }),
      ["allocations[0].apiKeyId id-too-long"],
    ],
    [
      "one key twice",
      {
        ...terms,
        allocations: [
          { apiKeyId: "alice", weight: 50 },
          { apiKeyId: "alice", weight: 10 },
        ],
      },
      ["allocations[1].apiKeyId duplicate-key"],
    ],
    [
      "too many keys to read",
      { ...terms, allocations: new Array(MAX_ALLOCATIONS + 1).fill(null) },
      ["allocations too-many"],
    ],
    [
      "everything wrong at once, in one list",
      {
        connectionId: "",
        name: 7,
        unallocated: 1,
        saturationThreshold: -1,
        whenStoreFails: null,
        allocations: [
          { weight: 101, policy: "loud", capValue: 1 },
          { apiKeyId: "a", weight: 60 },
          { apiKeyId: "a", weight: 60 },
        ],
      },
      [
        "connectionId id-missing",
        "name id-missing",
        "unallocated unknown-word",
        "saturationThreshold out-of-range",
        "whenStoreFails unknown-word",
        "allocations[0].apiKeyId id-missing",
        "allocations[0].weight weight-out-of-range",
        "allocations[0].policy unknown-policy",
        "allocations[0].capUnit cap-incomplete",
        "allocations[2].apiKeyId duplicate-key",
        "allocations weights-over-100",
      ],
    ],
  ];
  test.each(rows)("%s", (_sentence, input, expected) => {
    expect(codesOf(input)).toEqual(expected);
  });

  it("is frozen once it is parsed, and its defaults are filled in", () => {
    const parsed = parsePoolTerms(allocating({}));
    if (!parsed.ok) throw new Error("the pool is right");
    expect(parsed.value).toMatchObject({ ...terms, unallocated: "borrow" });
    expect(parsed.value.allocations.get("alice")).toEqual({
      apiKeyId: "alice",
      weight: 50,
      policy: "hard",
      cap: undefined,
    });
    expect(Object.isFrozen(parsed.value) && Object.isFrozen(parsed.value.allocations.get("alice"))).toBe(
      true,
    );
  });

  it("keeps keys whose ids are names on Object.prototype, or look alike when joined", () => {
    const ids = [
      "__proto__",
      "constructor",
      "toString",
      "hasOwnProperty",
      "a|b",
      "a:b",
      "{x}",
      "2001:db8::1",
    ];
    const parsed = parsePoolTerms({
      ...terms,
      allocations: ids.map((apiKeyId) => ({ apiKeyId, weight: 1 })),
    });
    expect(parsed.ok && [...parsed.value.allocations.keys()]).toEqual(ids);
    expect(Object.keys({})).toEqual([]);
  });

  it("holds 10 000 keys", () => {
    const parsed = parsePoolTerms(weighing(...new Array<number>(10_000).fill(0.01)));
    expect(parsed.ok && parsed.value.allocations.size).toBe(10_000);
  });
});

test.each(["sotf", "", undefined, null, 7, {}, "hard"])("a stored policy of %j counts as hard", (stored) => {
  expect(policyOf(stored)).toBe("hard");
});

describe("for any input", () => {
  it("the parser answers, with faults or with weights that may be shared out", () => {
    const allocation = fc.record(
      {
        apiKeyId: fc.oneof(fc.string(), fc.anything()),
        weight: fc.oneof(fc.double({ min: -1, max: 101 }), fc.anything()),
        policy: fc.oneof(fc.constantFrom("hard", "soft", "burst"), fc.anything()),
        capValue: fc.oneof(fc.double(), fc.anything()),
        capUnit: fc.oneof(fc.constantFrom("usd", "tokens"), fc.anything()),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.anything(),
          fc.record({
            connectionId: fc.constant("c"),
            name: fc.constant("n"),
            allocations: fc.array(allocation),
          }),
        ),
        (input) => {
          const parsed = parsePoolTerms(input);
          if (!parsed.ok) {
            expect(parsed.faults.length).toBeGreaterThan(0);
            return;
          }
          const weights = [...parsed.value.allocations.values()].map(({ weight }) => weight);
          expect(weights.every((weight) => weight >= 0)).toBe(true);
          expect(weights.reduce((sum, weight) => sum + weight, 0)).toBeLessThanOrEqual(100 + 1e-6);
        },
      ),
      { numRuns: 500 },
    );
  });

  it("what is right is taken as it was said", () => {
    const allocations: fc.Arbitrary<AllocationSpec[]> = fc.uniqueArray(
      fc.record({
        apiKeyId: fc.string({ unit: "grapheme", minLength: 1, maxLength: 20 }),
        weight: fc.integer({ min: 0, max: 10_000 }).map((weight) => weight / 1000),
        policy: fc.constantFrom("hard" as const, "soft" as const, "burst" as const),
      }),
      { selector: ({ apiKeyId }) => apiKeyId, maxLength: 10 },
    );
    fc.assert(
      fc.property(allocations, (said) => {
        const parsed = parsePoolTerms({ ...terms, allocations: said });
        const kept = parsed.ok ? [...parsed.value.allocations.values()] : undefined;
        expect(kept?.map(({ apiKeyId, weight, policy }) => ({ apiKeyId, weight, policy }))).toEqual(said);
      }),
      { numRuns: 300 },
    );
  });
});
