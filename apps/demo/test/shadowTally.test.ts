import { parsePoolTerms, type Decision, type LendingSpec, type Pool, type ShadowDecision } from "@quota/core";
import type { RatedAdmission, WaitingRoom } from "@quota/engine";
import { describe, expect, test } from "vitest";
import { createShadowTally } from "../server/decisions/createShadowTally.js";

const START = Date.UTC(2026, 0, 5, 12);
const ALLOWED: Decision = { status: "allowed", allowed: true, dimensions: [] };
const REFUSED: Decision = { status: "refused", allowed: false, reason: "fair-share", dimensions: [] };

function pool(rules: { readonly lending?: LendingSpec; readonly shadow?: LendingSpec } = {}): Pool {
  const terms = parsePoolTerms({ connectionId: "seat", name: "Team", allocations: [], ...rules });
  if (!terms.ok) throw new Error(JSON.stringify(terms.faults));
  return { ...terms.value, id: "team", incarnation: "first", version: 1, createdAt: START };
}

/** A tally that watches a room which answers what the test says, of a pool that may become another. */
function watched(first: Pool | undefined) {
  const time = { now: START };
  const house = { pool: first };
  let answer: RatedAdmission["decision"] = ALLOWED;
  const tally = createShadowTally({ ofConnection: () => house.pool }, { now: () => time.now });
  const room = tally.watchRoom({
    admit: async () => ({ decision: answer }) as RatedAdmission,
    settle: async () => undefined,
    release: async () => undefined,
    get waiting() {
      return 7;
    },
  } satisfies WaitingRoom<RatedAdmission>);
  const decide = async (said: RatedAdmission["decision"], times = 1) => {
    answer = said;
    for (let i = 0; i < times; i += 1)
      expect(await room.admit({ apiKeyId: "bob", connectionId: "seat", provider: "kimi" })).toEqual({
        decision: said,
      });
  };
  return { tally, room, time, house, decide };
}

const told = (status: ShadowDecision["status"]) => ({
  shadow: { lending: { rule: "reserve", curve: "pace" }, status } as const,
});
const NONE = { bothAllowed: 0, bothRefused: 0, onlyShadowRefuses: 0, onlyShadowAllows: 0, unknown: 0 };

describe("how often a rule and its shadow agree", () => {
  const cause = new Error("gone");
  const rows: [what: string, said: RatedAdmission["decision"], counted: Partial<typeof NONE>][] = [
    ["allowed by both", { ...ALLOWED, ...told("allowed") }, { bothAllowed: 1 }],
    ["deprioritized by the shadow alone", { ...ALLOWED, ...told("deprioritized") }, { bothAllowed: 1 }],
    ["refused by the shadow alone", { ...ALLOWED, ...told("refused") }, { onlyShadowRefuses: 1 }],
    ["refused by the rule alone", { ...REFUSED, ...told("allowed") }, { onlyShadowAllows: 1 }],
    ["refused by both", { ...REFUSED, ...told("refused") }, { bothRefused: 1 }],
    ["allowed without a word of the shadow", ALLOWED, { unknown: 1 }],
    ["not judged", { status: "unjudged", allowed: true, cause, dimensions: [] }, { unknown: 1 }],
    ["shared by nobody", { status: "ungoverned", allowed: true, why: "empty-plan", dimensions: [] }, {}],
    [
      "refused by a limit per minute",
      { status: "refused", allowed: false, reason: "contended", retryAt: START },
      {},
    ],
  ];
  test.each(rows)("a request that is %s", async (_what, said, counted) => {
    const shared = pool({ shadow: "reserve" });
    const { tally, room, decide } = watched(shared);
    await decide(said);
    expect(tally.of(shared)?.counts).toEqual({ ...NONE, ...counted });
    expect(room.waiting).toBe(7);
  });

  test("is told with both rules and since when, and begins anew with other rules or another life", async () => {
    const shared = pool({ lending: "static", shadow: { rule: "reserve", curve: { hold: 2 } } });
    const { tally, time, house, decide } = watched(shared);
    await decide({ ...ALLOWED, ...told("refused") }, 3);
    time.now += 5;
    const shown = {
      lending: "static",
      shadow: { rule: "reserve", curve: { hold: 2 } },
      since: START,
      counts: { ...NONE, onlyShadowRefuses: 3 },
    };
    expect(tally.of(shared)).toEqual(shown);
    expect(tally.of({ ...shared, name: "renamed", version: 2 })).toEqual(shown);
    expect(tally.of({ ...shared, incarnation: "second" })).toEqual({
      ...shown,
      since: time.now,
      counts: NONE,
    });
    house.pool = pool({ lending: "open", shadow: "static" });
    await decide({ ...ALLOWED, ...told("allowed") });
    const fresh = { lending: "open", shadow: "static", since: START + 5 };
    expect(tally.of(house.pool)).toEqual({ ...fresh, counts: { ...NONE, bothAllowed: 1 } });
  });

  test("is nothing where no pool has a shadow", async () => {
    const { tally, decide, house } = watched(pool());
    await decide(ALLOWED);
    expect(tally.of(pool())).toBeUndefined();
    house.pool = undefined;
    await decide(ALLOWED);
    expect(tally.of(pool({ shadow: "open" }))?.counts).toEqual(NONE);
  });
});
