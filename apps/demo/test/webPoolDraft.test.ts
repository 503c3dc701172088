import { parsePoolTerms, type PoolSpec } from "@quota/core";
import type { PoolJson } from "@quota/http";
import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { changeDraft } from "../web/src/poolEditing/changeDraft.js";
import { draftFaults } from "../web/src/poolEditing/draftFaults.js";
import { draftSpec } from "../web/src/poolEditing/draftSpec.js";
import { equalSplit } from "../web/src/poolEditing/equalSplit.js";
import { newDraft } from "../web/src/poolEditing/newDraft.js";
import { parseDecimal } from "../web/src/poolEditing/parseDecimal.js";
import { emptyRow, poolDraft, type PoolDraft } from "../web/src/poolEditing/poolDraft.js";
import { poolPatch } from "../web/src/poolEditing/poolPatch.js";
import { shownFaults } from "../web/src/poolEditing/shownFaults.js";
import { weightSum } from "../web/src/poolEditing/weightSum.js";
import { anyPool, pool } from "./webPools.js";

describe("a number that somebody types", () => {
  test.each([
    ["50", 50],
    [" 33.33 ", 33.33],
    ["33,33", 33.33],
    [".5", 0.5],
    ["5.", 5],
    ["12 %", 12],
    ["1e-6", 0.000001],
    ["-1", -1],
    ["", undefined],
    ["1,000", undefined],
    ["1,000,000", undefined],
    ["1.000,5", undefined],
    ["half", undefined],
    ["0x10", undefined],
    ["Infinity", undefined],
    ["NaN", undefined],
  ])("%j is %s", (text, number) => expect(parseDecimal(text)).toBe(number));

  it("is read back as it is written by JavaScript, whatever it is", () => {
    fc.assert(
      fc.property(fc.double({ min: 0, noNaN: true, noDefaultInfinity: true }), (number) => {
        expect(parseDecimal(String(number))).toBe(number === 0 ? 0 : number);
      }),
    );
  });
});

describe("an equal split", () => {
  test.each([
    [1, "100"],
    [2, "50"],
    [3, "33.33"],
    [7, "14.28"],
    [63, "1.587"],
    [200, "0.5"],
    [999, "0.1001"],
    [0, ""],
  ])("of %i keys is typed as %j", (keys, weight) => expect(equalSplit(keys)).toBe(weight));

  it("never sums to more than 100, and leaves a tenth of a percent at most", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 5000 }), (keys) => {
        const millionths = Math.round(Number(equalSplit(keys)) * 1_000_000) * keys;
        expect(millionths).toBeLessThanOrEqual(100_000_000);
        expect(millionths).toBeGreaterThanOrEqual(99_900_000);
      }),
    );
  });
});

describe("a new pool", () => {
  const keys = (count: number, disabled: readonly number[] = []) =>
    Array.from({ length: count }, (_, i) => ({ id: `k${String(i)}`, disabled: disabled.includes(i) }));

  test.each([
    ["of three keys has them all", keys(3), ["33.33", "33.33", "33.33"]],
    ["does not start with a disabled key", keys(3, [1]), ["50", undefined, "50"]],
    ["of nobody has nobody", [], []],
    ["of two hundred keys starts empty", keys(200), Array<undefined>(200).fill(undefined)],
  ])("%s", (_, given, weights) => {
    expect(newDraft(given).rows.map(({ isIn, weight }) => (isIn ? weight : undefined))).toEqual(weights);
  });
});

describe("ticking keys", () => {
  const three = newDraft(["alice", "bob", "carol"].map((id) => ({ id, disabled: false })));
  const tick = (draft: PoolDraft, isIn: boolean, ...apiKeyIds: string[]) =>
    changeDraft(draft, { kind: "tick", apiKeyIds: new Set(apiKeyIds), isIn });
  const type = (draft: PoolDraft, apiKeyId: string, weight: string) =>
    changeDraft(draft, { kind: "row", apiKeyId, fields: { weight } });
  const weights = ({ rows }: PoolDraft) => rows.map(({ isIn, weight }) => (isIn ? weight : "out"));

  it("splits anew while nobody has typed a weight", () => {
    expect(weights(tick(three, false, "bob"))).toEqual(["50", "out", "50"]);
    expect(weights(tick(tick(three, false, "bob"), true, "bob"))).toEqual(["33.33", "33.33", "33.33"]);
  });

  it("touches no weight once one was typed, and gives a newcomer what is left", () => {
    const typed = type(tick(three, false, "carol"), "alice", "40.5");
    expect(weights(typed)).toEqual(["40.5", "50", "out"]);
    const fresh = changeDraft(typed, { kind: "keys", apiKeyIds: ["alice", "dave"] });
    expect(weights(tick(fresh, true, "dave"))).toEqual(["40.5", "50", "out", "9.5"]);
  });

  it("forgets nothing that was typed for a key that is taken out and put back", () => {
    const typed = type(three, "bob", "nonsense");
    expect(weights(tick(tick(typed, false, "bob"), true, "bob"))).toEqual(["33.33", "nonsense", "33.33"]);
  });

  it("splits equally again when it is asked to", () => {
    expect(weights(changeDraft(type(three, "bob", "1"), { kind: "equal" }))).toEqual(weights(three));
  });

  it("leaves the other rows the same objects, so that they are not drawn again", () => {
    const typed = type(three, "bob", "1");
    expect(typed.rows[0]).toBe(three.rows[0]);
    expect(typed.rows[2]).toBe(three.rows[2]);
  });
});

describe("a pool that is edited", () => {
  it("is written back as nothing, if nothing was changed, whatever it is", () => {
    fc.assert(
      fc.property(anyPool, (any) => {
        expect(poolPatch(any, poolDraft(any))).toEqual({});
      }),
    );
  });

  it("asks for what it is, whatever it is", () => {
    fc.assert(
      fc.property(anyPool, (any) => {
        const { name, unallocated, allocations } = draftSpec(any.connectionId, poolDraft(any));
        expect({ name, unallocated, allocations }).toEqual({
          name: any.name,
          unallocated: any.unallocated,
          allocations: any.allocations,
        });
      }),
    );
  });

  const edited = (change: (draft: PoolDraft) => PoolDraft, of: PoolJson = pool()) =>
    poolPatch(of, change(poolDraft(of)));

  test.each([
    ["name", (draft: PoolDraft) => ({ ...draft, name: "New" }), { name: "New" }],
    ["rule", (draft: PoolDraft) => ({ ...draft, unallocated: "deny" as const }), { unallocated: "deny" }],
    ["threshold", (draft: PoolDraft) => ({ ...draft, threshold: "57" }), { saturationThreshold: 0.57 }],
  ])("sends its %s alone, if that alone was changed", (_, change, patch) =>
    expect(edited(change)).toEqual(patch),
  );

  it("takes its threshold away when the field is emptied", () => {
    expect(edited((draft) => ({ ...draft, threshold: " " }), pool({ saturationThreshold: 0.6 }))).toEqual({
      saturationThreshold: null,
    });
  });

  it("sends all allocations when one was changed, and a cap only with a value", () => {
    const row = (apiKeyId: string, fields: object) => (draft: PoolDraft) =>
      changeDraft(draft, { kind: "row", apiKeyId, fields });
    expect(edited(row("bob", { capUnit: "usd" })).allocations).toEqual(pool().allocations);
    expect(edited(row("bob", { capValue: "2,5", capUnit: "usd", capWindow: "daily" }))).toEqual({
      allocations: [
        { apiKeyId: "alice", weight: 50, policy: "hard" },
        { apiKeyId: "bob", weight: 30, policy: "soft", capValue: 2.5, capUnit: "usd", capWindow: "daily" },
      ],
    });
  });
});

describe("what the weights of a draft come to", () => {
  const sum = (...weights: string[]) =>
    weightSum({ rows: weights.map((weight, i) => ({ ...emptyRow(String(i)), isIn: true, weight })) });

  test.each([
    ["a third thrice", ["33.33", "33.33", "33.33"], { keys: 3, sum: 99.99, unallocated: 0.01, over: 0 }],
    ["tenths that doubles cannot add", ["0.1", "0.7", "99.2"], { sum: 100, unallocated: 0, over: 0 }],
    ["more than there is", ["70", "30", "20"], { sum: 120, unallocated: 0, over: 20 }],
    ["what is within the gateway's tolerance", ["100.0000005"], { over: 0 }],
    ["what is not a number", ["40", "half", ""], { keys: 3, sum: 40, unallocated: 60 }],
  ])("%s", (_, weights, expected) => expect(sum(...weights)).toMatchObject(expected));

  it("is of the keys in the pool alone", () => {
    expect(weightSum({ rows: [{ ...emptyRow("a"), weight: "50" }] })).toMatchObject({ keys: 0, sum: 0 });
  });
});

describe("what is said of a draft", () => {
  const said = (fields: Partial<PoolDraft>, rows: readonly (readonly [string, object])[] = []) =>
    draftFaults(
      "kimi-demo",
      rows.reduce<PoolDraft>(
        (draft, [apiKeyId, row]) => changeDraft(draft, { kind: "row", apiKeyId, fields: row }),
        { ...poolDraft(pool()), ...fields },
      ),
    );

  test.each([
    ["", "The weight must be a number from 0 to 100 (percent of the pool)."],
    ["half", "The weight must be a number from 0 to 100 (percent of the pool)."],
    ["101", "The weight must be a number from 0 to 100 (percent of the pool)."],
  ])("a weight %j stands at its row", (weight, words) =>
    expect(said({}, [["bob", { weight }]]).rows).toEqual(new Map([["bob", { weight: words }]])),
  );

  test.each([
    ["lots", 'The cap: "lots" is not an amount; give a whole number from 0 to 9007199254740991.'],
    ["0", "The cap must be above 0; disable the key to stop it altogether."],
    ["1.5", "The cap: 1.5 is not an amount; give a whole number from 0 to 9007199254740991."],
  ])("a cap of %s requests stands at its row", (capValue, words) =>
    expect(said({}, [["alice", { capValue }]]).rows).toEqual(new Map([["alice", { cap: words }]])),
  );

  it("is at the fields of the pool, too", () => {
    expect(said({ name: "", threshold: "200" }, [["alice", { weight: "90" }]]).fields).toEqual(
      new Map([
        ["name", "Give the pool a name."],
        ["saturationThreshold", "Give a number from 0 to 100, or leave it empty."],
        ["allocations", "The weights sum to 120; lower them to 100 or less."],
      ]),
    );
  });

  it("is nothing exactly where the gateway would take it", () => {
    fc.assert(
      fc.property(anyPool, fc.array(fc.string(), { maxLength: 3 }), (any, typed) => {
        const draft = typed.reduce<PoolDraft>((was, weight, i) => {
          const row = was.rows[i];
          return row ? changeDraft(was, { kind: "row", apiKeyId: row.apiKeyId, fields: { weight } }) : was;
        }, poolDraft(any));
        const { fields, rows, elsewhere } = draftFaults(any.connectionId, draft);
        const spec: PoolSpec = draftSpec(any.connectionId, draft);
        expect(fields.size + rows.size + elsewhere.length === 0).toBe(parsePoolTerms(spec).ok);
      }),
    );
  });

  it("is not said of what is still empty, until somebody tries to save it", () => {
    const draft = changeDraft(
      { ...poolDraft(pool()), name: "" },
      { kind: "row", apiKeyId: "bob", fields: { weight: "" } },
    );
    const found = draftFaults("", draft);
    const shown = (isTried: boolean) =>
      shownFaults({ draft, connectionId: "", found, isTried, refused: undefined });
    expect(shown(false)).toEqual({ fields: new Map(), rows: new Map(), elsewhere: [] });
    expect([...shown(true).fields.keys(), ...shown(true).rows.keys()]).toEqual([
      "connectionId",
      "name",
      "bob",
    ]);
  });

  it("stays where the gateway said it, until that field is another", () => {
    const draft = poolDraft(pool());
    const faults = {
      fields: new Map([["name", "No."]]),
      rows: new Map([["bob", { cap: "Give a window." }]]),
      elsewhere: [],
    };
    const shown = (now: PoolDraft) =>
      shownFaults({
        draft: now,
        connectionId: "c",
        found: draftFaults("c", now),
        isTried: false,
        refused: { draft, connectionId: "c", faults },
      });
    const others = changeDraft(draft, { kind: "row", apiKeyId: "alice", fields: { weight: "1" } });
    expect(shown(others)).toEqual(faults);
    const bobs = changeDraft(others, { kind: "row", apiKeyId: "bob", fields: { capWindow: "daily" } });
    expect(shown({ ...bobs, name: "New" })).toEqual({ fields: new Map(), rows: new Map(), elsewhere: [] });
  });
});
