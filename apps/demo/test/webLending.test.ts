import { reserveBound, reservedPart, type ReserveCurve } from "@quota/core";
import type { DimensionUsageJson } from "@quota/http";
import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { brokenPromises, draftLending, lendingDraft, lendingPatch } from "../web/src/lending/lendingDraft.js";
import { draftFaults } from "../web/src/poolEditing/draftFaults.js";
import { poolDraft } from "../web/src/poolEditing/poolDraft.js";
import { poolPatch } from "../web/src/poolEditing/poolPatch.js";
import { reserveCourse } from "../web/src/quotaShare/reserveCourse.js";
import { curveAbout, lendingText } from "../web/src/ui/lendingText.js";
import { pool } from "./webPools.js";

const hold4 = { rule: "reserve", curve: { hold: 4 } } as const;

test.each([
  ["threshold", "threshold"],
  ["reserve", "reserve, at pace"],
  [hold4, "reserve, hold 4"],
  [{ rule: "reserve" }, "reserve, at pace"],
] as const)("the rule %j is called %s", (lending, words) => {
  expect(lendingText(lending)).toBe(words);
});

test.each<[ReserveCurve, RegExp]>([
  ["pace", /a quarter .* from 98% on all of it/u],
  [{ hold: 4 }, /in full for 75% of the window/u],
  [{ hold: 0.5 }, /^50% of an idle share is reserved at first/u],
])("the curve %j is told", (curve, words) => {
  expect(curveAbout(curve)).toMatch(words);
});

describe("a change of the rule", () => {
  const keeping = pool({
    lending: "reserve",
    allocations: [
      { apiKeyId: "alice", weight: 50, policy: "hard", lend: false },
      { apiKeyId: "bob", weight: 30, policy: "soft", borrowingLimit: 5 },
    ],
  });
  const chosen = (fields: Partial<ReturnType<typeof lendingDraft>>, of = pool()) => ({
    ...lendingDraft(of),
    ...fields,
  });

  test.each([
    ["writes nothing that was not chosen", {}, pool(), {}],
    ["is the rule", { rule: "open" }, pool(), { lending: "open" }],
    [
      "has the curve that was typed",
      { rule: "reserve", curve: "hold", hold: "4" },
      pool(),
      { lending: hold4 },
    ],
    ["forgets a curve that was typed for another rule", { curve: "hold", hold: "4" }, pool(), {}],
    ["names a shadow", { shadow: "static" }, pool(), { shadow: "static" }],
    ["takes a shadow away", { shadow: "none" }, pool({ shadow: "static" }), { shadow: null }],
    [
      "lets go of what the new rule cannot keep, and of nothing else",
      { rule: "threshold", isDropping: "yes" },
      keeping,
      {
        lending: "threshold",
        allocations: [
          { apiKeyId: "alice", weight: 50, policy: "hard" },
          { apiKeyId: "bob", weight: 30, policy: "soft", borrowingLimit: 5 },
        ],
      },
    ],
  ])("%s", (_title, fields, of, patch) => {
    expect(lendingPatch(chosen(fields, of), of)).toEqual(patch);
  });

  it("tells whom a rule that holds nothing back would break its word to", () => {
    for (const [rule, broken] of [
      ["threshold", ["alice"]],
      ["open", ["alice"]],
      ["static", []],
      ["reserve", []],
    ] as const)
      expect(brokenPromises(chosen({ rule }, keeping), keeping)).toEqual(broken);
  });

  it("is not whole while its number is missing or wrong", () => {
    for (const hold of ["", "0", "-1", "1001", "four"])
      expect(draftLending(chosen({ rule: "reserve", curve: "hold", hold }), "rule")).toBeUndefined();
  });
});

describe("an allocation's limits", () => {
  const draft = (fields: object, lending: "reserve" | "threshold" = "reserve") => {
    const before = poolDraft(pool({ lending }));
    return { ...before, rows: [before.rows[0]!, { ...before.rows[1]!, ...fields }] };
  };

  test.each([
    ["that it does not lend", { lends: false, lendingLimit: "7" }, { lend: false }],
    ["what it lends", { lendingLimit: " 7,5 % " }, { lendingLimit: 7.5 }],
    ["what it borrows", { borrowingLimit: "0" }, { borrowingLimit: 0 }],
  ])("are written: %s", (_title, fields, written) => {
    expect(poolPatch(pool({ lending: "reserve" }), draft(fields)).allocations?.[1]).toEqual({
      apiKeyId: "bob",
      weight: 30,
      policy: "soft",
      ...written,
    });
  });

  it("are refused at their fields", () => {
    const said = (fields: object, lending?: "threshold") =>
      draftFaults("c", draft(fields, lending)).rows.get("bob");
    expect(said({ lendingLimit: "101" })?.lending).toMatch(/^What it lends at most must be a number from 0/u);
    expect(said({ borrowingLimit: "x" })?.borrowing).toMatch(/^What it borrows at most must be a number/u);
    expect(said({ lends: false }, "threshold")?.lending).toMatch(/^That it does not lend cannot be kept/u);
    expect(said({ lends: false })).toBeUndefined();
  });
});

describe("the course of a reserve", () => {
  const usage = (of: Partial<DimensionUsageJson>) =>
    ({ unit: "requests", limit: 100, perKey: [], ...of }) as unknown as DimensionUsageJson;
  const key = (apiKeyId: string, fairShare: number, reserve: number) => ({ apiKeyId, fairShare, reserve });

  it("is not drawn where no limit is known, or nothing is reserved", () => {
    for (const of of [
      { limit: "unknown", elapsed: 0.5, reserved: 0 },
      { elapsed: 0.5 },
      { reserved: 3 },
    ] as const)
      expect(reserveCourse({ usage: usage(of), curve: "pace", allocations: [] })).toBeUndefined();
  });

  it("ends at what is never lent", () => {
    const { bound, reserved, kept } = reserveCourse({
      usage: usage({ elapsed: 0.5, reserved: 60, perKey: [key("a", 50, 50), key("b", 30, 10)] as never }),
      curve: "pace",
      allocations: [
        { apiKeyId: "a", weight: 50, policy: "hard", lend: false },
        { apiKeyId: "b", weight: 30, policy: "hard", lendingLimit: 26 },
      ],
    })!;
    expect(kept).toBe(54);
    expect([bound[0], bound.at(-1)]).toEqual([
      { at: 0, amount: 80 },
      { at: 1, amount: 54 },
    ]);
    expect([reserved[0], reserved.at(-1)]).toEqual([
      { at: 0.5, amount: 60 },
      { at: 1, amount: 54 },
    ]);
  });

  it("begins with what is reserved now, never rises, and is never above what may be", () => {
    const curve = fc.oneof(
      fc.constant("pace" as const),
      fc.record({ hold: fc.double({ min: 0.1, max: 9, noNaN: true }) }),
    );
    const keys = fc.array(fc.record({ share: fc.nat(500), left: fc.nat(500) }), { maxLength: 8 });
    fc.assert(
      fc.property(curve, keys, fc.double({ min: 0, max: 1, noNaN: true }), (how, those, elapsed) => {
        const perKey = those.map(({ share, left }, i) =>
          key(String(i), share, Math.min(left, reserveBound({ share, kept: 0 }, reservedPart(how, elapsed)))),
        );
        const now = perKey.reduce((sum, { reserve }) => sum + reserve, 0);
        const asked = usage({ elapsed, reserved: now, limit: 5000, perKey: perKey as never });
        const { bound, reserved } = reserveCourse({ usage: asked, curve: how, allocations: [] })!;
        expect(reserved[0]).toEqual({ at: elapsed, amount: now });
        for (const line of [bound, reserved])
          for (const [i, { at, amount }] of line.slice(1).entries()) {
            expect(at).toBeGreaterThanOrEqual(line[i]!.at);
            expect(amount).toBeLessThanOrEqual(line[i]!.amount);
          }
        expect(reserved.at(-1)!.amount).toBe(0);
      }),
    );
  });
});
