import { idProblem, parsePoolTerms } from "@quota/core";
import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { jsonElements } from "../web/src/legacyPools/jsonElements.js";
import { parseLegacyPools } from "../web/src/legacyPools/parseLegacyPools.js";
import { withoutLegacyPool } from "../web/src/legacyPools/withoutLegacyPool.js";

const LEGACY = {
  id: "legacy-1",
  connectionId: "kimi-demo",
  provider: "kimi",
  accountLabel: "Team seat",
  window: "hourly",
  windowLabel: "Hourly",
  totalQuota: 1500,
  unit: "requests",
  policy: "soft",
  allocations: [
    { apiKeyId: "alice", percent: 60 },
    { apiKeyId: "bob", percent: 40 },
  ],
  createdAt: "2025-01-01T00:00:00Z",
};

function only(entry: unknown) {
  const parsed = parseLegacyPools(JSON.stringify([entry]));
  if (!parsed.isReadable) throw new Error(parsed.why);
  return parsed.items[0]!;
}

describe("a legacy pool", () => {
  it("is posted under its own id, named by its account, with its policy for every key", () => {
    const { pool, label } = only(LEGACY);
    expect(label).toBe("Team seat");
    expect(pool).toEqual({
      id: "legacy-1",
      connectionId: "kimi-demo",
      name: "Team seat",
      allocations: [
        { apiKeyId: "alice", weight: 60, policy: "soft" },
        { apiKeyId: "bob", weight: 40, policy: "soft" },
      ],
    });
  });

  const unnamed = Object.fromEntries(Object.entries(LEGACY).filter(([name]) => name !== "accountLabel"));
  test.each<readonly [string, unknown, object]>([
    ["without a label is named by its provider", unnamed, { name: "kimi" }],
    ["with an empty label is named by its provider", { ...LEGACY, accountLabel: "" }, { name: "kimi" }],
    ["with an id that no URL can name gets another", { ...LEGACY, id: ".." }, { id: undefined }],
    ["with a number for an id gets another", { ...LEGACY, id: 7 }, { id: undefined }],
    ["with an id of 257 characters gets another", { ...LEGACY, id: "x".repeat(257) }, { id: undefined }],
    ["without allocations in its list has none", { ...LEGACY, allocations: [] }, { allocations: [] }],
  ])("%s", (_, entry, asked) => {
    const { id, ...pool } = only(entry).pool!;
    expect({ id, ...pool }).toMatchObject(asked);
  });

  test.each([
    ["soft", "soft"],
    ["burst", "burst"],
    ["hard", "hard"],
    ["Soft", "hard"],
    ["fair", "hard"],
    [undefined, "hard"],
    [7, "hard"],
  ])("with policy %j is %s", (policy, expected) =>
    expect(only({ ...LEGACY, policy }).pool!.allocations.map((allocation) => allocation.policy)).toEqual([
      expected,
      expected,
    ]),
  );

  test.each([
    [50, 50],
    [-5, 0],
    [250, 100],
    [33.333, 33.333],
  ])("with a percent of %d has weight %d", (percent, weight) =>
    expect(only({ ...LEGACY, allocations: [{ apiKeyId: "a", percent }] }).pool!.allocations[0]).toMatchObject(
      {
        weight,
      },
    ),
  );

  test.each([
    ["hourly", { ...LEGACY }, "1500 requests (Hourly)"],
    ["without words for its window", { ...LEGACY, windowLabel: "" }, "1500 requests (hourly)"],
    ["without a limit", { ...LEGACY, totalQuota: 0 }, undefined],
    ["without a unit", { ...LEGACY, unit: null }, undefined],
  ])("%s tells its limit, which is a plan's matter", (_, entry, limit) =>
    expect(only(entry)).toMatchObject({ limit }),
  );

  test.each<readonly [string, unknown, string]>([
    ["a number", 7, "It is not a pool."],
    ["null", null, "It is not a pool."],
    ["a list", [], "It is not a pool."],
    [
      "without a connection",
      { ...LEGACY, connectionId: undefined },
      "Its connectionId must be a text that is not empty.",
    ],
    [
      "of a connection that is no text",
      { ...LEGACY, connectionId: 7 },
      "Its connectionId must be a text that is not empty.",
    ],
    [
      "without a name",
      { ...unnamed, provider: "" },
      "It has neither an accountLabel nor a provider to be named by.",
    ],
    [
      "with a name of 10 kB",
      { ...LEGACY, accountLabel: "x".repeat(10_240) },
      "Its name has 10240 characters.",
    ],
    ["without allocations", { ...LEGACY, allocations: null }, "It has no list of allocations."],
    [
      "with an allocation to nobody",
      { ...LEGACY, allocations: [{ apiKeyId: "a", percent: 1 }, { percent: 1 }] },
      "Its allocation 2 is not an apiKeyId with a percent.",
    ],
    [
      "with a percent that is a text",
      { ...LEGACY, allocations: [{ apiKeyId: "a", percent: "50" }] },
      "Its allocation 1 is not an apiKeyId with a percent.",
    ],
  ])("that is %s stays, and is told", (_, entry, why) =>
    expect(only(entry)).toMatchObject({ pool: undefined, why }),
  );
});

test.each([
  ["{", "It is not JSON."],
  ["undefined", "It is not JSON."],
  ["{}", "It is not a list of pools."],
  ['"[]"', "It is not a list of pools."],
  ["null", "It is not a list of pools."],
])("what is kept as %s cannot be read", (raw, why) =>
  expect(parseLegacyPools(raw)).toEqual({ isReadable: false, why }),
);

describe("when one of them was moved", () => {
  test.each([
    ['[ 1.0 ,{"a":"],[\\""},  [2] ]', "1.0", '[{"a":"],[\\""},[2]]'],
    ['[1e400,"x",9007199254740993]', '"x"', "[1e400,9007199254740993]"],
    ['["x"]', '"x"', null],
    ['["x","x"]', '"x"', '["x"]'],
    ['["x", "y"]', '"z"', '["x", "y"]'],
    ["nonsense", "nonsense", "nonsense"],
    ["[]", '"x"', null],
  ])("%s without %s is %s", (raw, text, left) => expect(withoutLegacyPool(raw, text)).toBe(left));
});

describe("whatever an older dashboard kept", () => {
  const entry = fc.oneof(
    fc.jsonValue(),
    fc.record(
      {
        id: fc.oneof(fc.string(), fc.integer()),
        connectionId: fc.oneof(fc.string(), fc.constant(null)),
        provider: fc.string(),
        accountLabel: fc.string({ unit: "binary" }),
        policy: fc.constantFrom("hard", "soft", "burst", "?"),
        allocations: fc.oneof(
          fc.jsonValue(),
          fc.array(fc.record({ apiKeyId: fc.string(), percent: fc.oneof(fc.double(), fc.string()) })),
        ),
      },
      { requiredKeys: ["connectionId"] },
    ),
  );

  it("never throws", () => {
    fc.assert(fc.property(fc.oneof(fc.string(), fc.json()), (raw) => void parseLegacyPools(raw)));
  });

  it("each entry is one item, exactly as it is written, and is posted or kept with a reason", () => {
    fc.assert(
      fc.property(fc.array(entry), fc.constantFrom(0, 1, 2), (entries, indent) => {
        const raw = JSON.stringify(entries, undefined, indent);
        const parsed = parseLegacyPools(raw);
        if (!parsed.isReadable) throw new Error(parsed.why);
        expect(parsed.items.map(({ text }) => JSON.parse(text) as unknown)).toEqual(JSON.parse(raw));
        expect(jsonElements(`[${parsed.items.map(({ text }) => text).join(",")}]`)).toEqual(
          parsed.items.map(({ text }) => text),
        );
        for (const item of parsed.items)
          if (item.pool === undefined) expect(item.why).not.toBe("");
          else {
            // All that the gateway may still object to is how allocations go together.
            expect([item.pool.connectionId, item.pool.name].map(idProblem)).toEqual([undefined, undefined]);
            const alone = item.pool.allocations.slice(0, 1);
            expect(parsePoolTerms({ ...item.pool, allocations: alone }).ok).toBe(true);
          }
      }),
    );
  });
});
