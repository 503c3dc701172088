import type { PoolJson } from "@quota/http";
import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { changeDraft } from "../web/src/poolEditing/changeDraft.js";
import { deletionProof, proves } from "../web/src/poolEditing/deletionProof.js";
import { mergeDraft } from "../web/src/poolEditing/mergeDraft.js";
import { poolDifference } from "../web/src/poolEditing/poolDifference.js";
import { poolDraft, type PoolDraft, type RowDraft } from "../web/src/poolEditing/poolDraft.js";
import { sameDraft, sameRows } from "../web/src/poolEditing/sameDraft.js";
import { anyPool, pool } from "./webPools.js";

const [alice, bob] = pool().allocations as [PoolJson["allocations"][number], PoolJson["allocations"][number]];
const carol = { apiKeyId: "carol", weight: 20, policy: "burst" } as const;

describe("the difference of two versions of a pool", () => {
  test.each<readonly [string, PoolJson, PoolJson, readonly object[]]>([
    ["is nothing, for a version alone", pool(), pool({ version: 2 }), []],
    ["is its name", pool(), pool({ name: "New" }), [{ field: "name", before: "Team", after: "New" }]],
    [
      "is how it lends",
      pool({ shadow: "open" }),
      pool({ lending: { rule: "reserve", curve: { hold: 2 } } }),
      [
        { field: "lending", before: "threshold", after: { rule: "reserve", curve: { hold: 2 } } },
        { field: "shadow", before: "open", after: undefined },
      ],
    ],
    [
      "is what a key lends and borrows",
      pool({ allocations: [alice, { ...bob, lend: false }] }),
      pool({ allocations: [alice, { ...bob, lendingLimit: 5, borrowingLimit: 9 }] }),
      [
        { field: "lends", apiKeyId: "bob", before: { lend: false }, after: { lendingLimit: 5 } },
        { field: "borrowingLimit", apiKeyId: "bob", before: undefined, after: 9 },
      ],
    ],
    [
      "is the rule for others",
      pool(),
      pool({ unallocated: "deny" }),
      [{ field: "unallocated", before: "borrow", after: "deny" }],
    ],
    [
      "is a threshold that came",
      pool(),
      pool({ saturationThreshold: 0.6 }),
      [{ field: "saturationThreshold", before: undefined, after: 0.6 }],
    ],
    [
      "is what to do when the store fails",
      pool({ whenStoreFails: { budget: 0.1 } }),
      pool({ whenStoreFails: "deny" }),
      [{ field: "whenStoreFails", before: { budget: 0.1 }, after: "deny" }],
    ],
    [
      "is a weight, and whose",
      pool(),
      pool({ allocations: [{ ...alice, weight: 40 }, bob] }),
      [{ field: "weight", apiKeyId: "alice", before: 50, after: 40 }],
    ],
    [
      "is a policy and a cap",
      pool(),
      pool({ allocations: [alice, { ...bob, policy: "hard", capValue: 5, capUnit: "usd" }] }),
      [
        { field: "policy", apiKeyId: "bob", before: "soft", after: "hard" },
        { field: "cap", apiKeyId: "bob", before: undefined, after: { capValue: 5, capUnit: "usd" } },
      ],
    ],
    [
      "is who came and who left",
      pool(),
      pool({ allocations: [alice, carol] }),
      [
        { field: "allocation", apiKeyId: "bob", before: bob, after: undefined },
        { field: "allocation", apiKeyId: "carol", before: undefined, after: carol },
      ],
    ],
    ["is not the order of the keys", pool(), pool({ allocations: [bob, alice] }), []],
  ])("%s", (_, before, after, differences) => expect(poolDifference(before, after)).toEqual(differences));

  it("is nothing exactly where an edit of the one is an edit of the other", () => {
    fc.assert(
      fc.property(anyPool, anyPool, (one, other) => {
        expect(poolDifference(one, one)).toEqual([]);
        const isSame = sameDraft(poolDraft(one), poolDraft(other));
        const shown = poolDifference(one, other).filter(({ field }) => field !== "whenStoreFails");
        expect(shown.length === 0).toBe(isSame);
      }),
    );
  });
});

describe("an edit on top of a newer version", () => {
  const typed = (draft: PoolDraft, apiKeyId: string, fields: Partial<RowDraft>): PoolDraft =>
    changeDraft(draft, { kind: "row", apiKeyId, fields });
  const merged = (theirs: PoolJson, edit: (draft: PoolDraft) => PoolDraft): PoolDraft =>
    mergeDraft({ base: pool(), theirs, draft: edit(poolDraft(pool())) });
  const row = (draft: PoolDraft, id: string) => draft.rows.find(({ apiKeyId }) => apiKeyId === id);

  it("keeps what was typed and takes over the rest", () => {
    const theirs = pool({
      name: "Theirs",
      allocations: [
        { ...alice, weight: 40 },
        { ...bob, weight: 10 },
      ],
    });
    const draft = merged(theirs, (was) => typed(was, "alice", { weight: "60" }));
    expect(draft.name).toBe("Theirs");
    expect(row(draft, "alice")?.weight).toBe("60");
    expect(row(draft, "bob")?.weight).toBe("10");
  });

  it("keeps one field of a row, and takes over its other ones", () => {
    const theirs = pool({ allocations: [{ ...alice, policy: "burst", weight: 40 }, bob] });
    const draft = merged(theirs, (was) => typed(was, "alice", { weight: "rubbish" }));
    expect(row(draft, "alice")).toMatchObject({ weight: "rubbish", policy: "burst" });
  });

  it("mixes no cap of two people's", () => {
    const theirs = pool({
      allocations: [{ ...alice, capValue: 9, capUnit: "usd", capWindow: "daily" }, bob],
    });
    const draft = merged(theirs, (was) => typed(was, "alice", { capValue: "500" }));
    expect(row(draft, "alice")).toMatchObject({ capValue: "500", capUnit: "requests", capWindow: "every" });
  });

  it("has a key in it that somebody else took in, and not one that somebody else took out", () => {
    const draft = merged(pool({ allocations: [alice, carol] }), (was) => ({ ...was, name: "Mine" }));
    expect(draft.rows.filter(({ isIn }) => isIn).map(({ apiKeyId }) => apiKeyId)).toEqual(["alice", "carol"]);
    expect(draft.name).toBe("Mine");
  });

  it("keeps a key whose weight was typed, though somebody else took it out", () => {
    const draft = merged(pool({ allocations: [alice] }), (was) => typed(was, "bob", { weight: "5" }));
    expect(row(draft, "bob")).toMatchObject({ isIn: true, weight: "5" });
  });

  it("leaves out a key that was taken out here, though somebody else changed it", () => {
    const theirs = pool({ allocations: [alice, { ...bob, weight: 1 }] });
    const draft = merged(theirs, (was) =>
      changeDraft(was, { kind: "tick", apiKeyIds: new Set(["bob"]), isIn: false }),
    );
    expect(row(draft, "bob")?.isIn).toBe(false);
  });

  it("is the newer version, if nothing was typed, and the edit, if nothing is newer", () => {
    fc.assert(
      fc.property(anyPool, anyPool, anyPool, (base, theirs, mine) => {
        const draft = poolDraft(mine);
        const untouched = mergeDraft({ base, theirs, draft: poolDraft(base) });
        expect(
          sameRows(
            untouched.rows.filter(({ isIn }) => isIn),
            poolDraft(theirs).rows,
          ),
        ).toBe(true);
        expect(untouched.name).toBe(theirs.name);
        const listed = changeDraft(draft, {
          kind: "keys",
          apiKeyIds: base.allocations.map(({ apiKeyId }) => apiKeyId),
        });
        expect(sameDraft(mergeDraft({ base, theirs: base, draft: listed }), listed)).toBe(true);
      }),
    );
  });
});

describe("to delete a pool one types", () => {
  const ID = "c21f4b50-37c3-486b-944c-8f132fd3a6cf";
  test.each([
    ["its name", "Demo team", "name"],
    ["its name, in any script", "פרויקט משותף", "name"],
    ["its name, tags and all", "<img src=x onerror=alert(1)>", "name"],
    ["its id, if its name is too long", "x".repeat(61), "id"],
    ["its id, if its name is 10 kB", "x".repeat(10_240), "id"],
    ["its id, if its name turns the direction of text", "\u202Egpj.exe", "id"],
    ["its id, if its name has a break", "one\ntwo", "id"],
    ["its id, if its name has what nobody sees", "a\u200Bb", "id"],
    ["its id, if its name is nothing but spaces", " \u00A0 ", "id"],
  ])("%s", (_, name, what) => {
    const proof = deletionProof({ id: ID, name });
    expect(proof).toEqual({ what, text: what === "id" ? ID : name });
    expect(proves(proof.text, proof)).toBe(true);
    expect(proves("", proof)).toBe(false);
    expect(proves(`${proof.text}x`, proof)).toBe(false);
  });

  it("the word delete, if not even its id can be typed", () => {
    expect(deletionProof({ id: "\u200F", name: "\u200F" })).toEqual({ what: "word", text: "delete" });
  });

  test.each([
    ["spaces around it", "  Demo team ", "Demo team"],
    ["two spaces in it", "Demo team", "Demo  team"],
    ["a space that does not break", "Demo team", "Demo\u00A0team"],
    ["an accent in two parts", "Cafe\u0301", "Café"],
  ])("and %s make no difference, as one does not see them", (_, typed, name) =>
    expect(proves(typed, deletionProof({ id: ID, name }))).toBe(true),
  );

  test.each([["demo team"], ["Demo"], ["Demo teams"], ["delete"]])("but not %j", (typed) =>
    expect(proves(typed, deletionProof({ id: ID, name: "Demo team" }))).toBe(false),
  );
});
