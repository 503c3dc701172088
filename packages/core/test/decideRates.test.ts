import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  chargeBounds,
  chargeRates,
  checkRatePlan,
  decideRates,
  layOutRates,
  plantRatePlan,
  ratePathFrom,
  ratesBounds,
  roomAt,
  type RateAnswer,
  type RateDimension,
  type RatePlan,
  type RatePlanNode,
  type RatePlanNodeInput,
  type RatesAnswer,
} from "@quota/core";
import { keptMinute, type KeptMinute } from "./keptMinute.js";
import { forest, keptPromises } from "./rateForest.js";

/** How many random histories are run, ten to a forest; `RATE_HISTORIES=360000` for more. */
const HISTORIES = Number(process.env["RATE_HISTORIES"] ?? 10_000);

function planted(nodes: readonly RatePlanNodeInput[]): RatePlan {
  const result = plantRatePlan({ nodes });
  if (!result.ok) throw new Error(result.faults.map((fault) => fault.message).join("\n"));
  return result.plan;
}

const org = { id: "org", kind: "organisation" };
const team = { id: "team", kind: "team", parent: "org" };
const key = { id: "key", kind: "key", parent: "team" };

describe("the numbers that a path needs", () => {
  const cellsOf = (nodes: readonly RatePlanNodeInput[], leaf: string): readonly string[] =>
    layOutRates(ratePathFrom(planted(nodes), leaf)).cells.map(
      ({ nodeId, dimension, counts }) => `${nodeId} ${dimension} ${counts}`,
    );

  it("are the uses alone where nothing is held for anybody", () => {
    expect(cellsOf([{ ...org, rpm: 5 }, team, key], "key")).toEqual([
      "key rpm used",
      "key tpm used",
      "team rpm used",
      "team tpm used",
      "org rpm used",
      "org tpm used",
    ]);
  });

  it("are two where limits below are held, in that dimension alone", () => {
    expect(
      cellsOf(
        [
          { ...org, rpm: 5, tpm: 9 },
          { ...team, tpm: 2 },
        ],
        "team",
      ),
    ).toEqual(["team rpm used", "team tpm used", "org rpm used", "org tpm used", "org tpm given"]);
  });

  it("are no more in a tree of ten thousand nodes", () => {
    const crowd = Array.from({ length: 10_000 }, (_, i) => ({
      id: `k${String(i)}`,
      kind: "key",
      rpm: 3,
      parent: "org",
    }));
    expect(cellsOf([{ ...org, rpm: 30_000 }, ...crowd], "k77")).toHaveLength(5);
  });
});

describe("a charge", () => {
  const plan = planted([
    { ...org, tpm: 10 },
    { ...team, tpm: 4 },
    { ...key, tpm: 3 },
  ]);
  const sheet = layOutRates(ratePathFrom(plan, "key"));
  /** In the order of the cells: key, team, team given, org, org given. */
  const tokens = (values: readonly number[]): readonly number[] => [
    0,
    values[0]!,
    0,
    ...values.slice(1, 3),
    0,
    ...values.slice(3),
  ];

  it.each<[string, { amounts: number[]; delta: number }, additions: number[], bounds: number[] | undefined]>([
    [
      "comes out of what is held for the node",
      { amounts: [0, 0, 0, 0, 0], delta: 2 },
      [2, 2, 0, 2, 0],
      [1, 2, Infinity, Infinity, Infinity],
    ],
    [
      "is carried on where it passes the limit: the node above gives the rest",
      { amounts: [2, 2, 0, 2, 0], delta: 2 },
      [2, 2, 1, 2, 0],
      undefined,
    ],
    [
      "is carried on to the root where it passes every limit",
      { amounts: [3, 4, 1, 4, 0], delta: 5 },
      [5, 5, 5, 5, 5],
      undefined,
    ],
    [
      "goes back into what is held for the node",
      { amounts: [2, 2, 0, 2, 0], delta: -1 },
      [-1, -1, 0, -1, 0],
      [3, 4, Infinity, Infinity, Infinity],
    ],
    [
      "goes back from beyond the limit first",
      { amounts: [4, 4, 1, 4, 0], delta: -2 },
      [-2, -2, -1, -2, 0],
      undefined,
    ],
    [
      "of nothing changes nothing at any amounts",
      { amounts: [9, 9, 6, 9, 5], delta: 0 },
      [0, 0, 0, 0, 0],
      [Infinity, Infinity, Infinity, Infinity, Infinity],
    ],
  ])("%s", (_, { amounts, delta }, additions, bounds) => {
    const charge = { sheet, amounts: tokens(amounts), requests: 0, tokens: delta };
    expect(chargeRates(charge)).toEqual(tokens(additions));
    const found = chargeBounds(charge);
    expect(found?.filter((_bound, i) => sheet.cells[i]!.dimension === "tpm")).toEqual(bounds);
  });

  it("stops at 2^53 − 1, where nobody counts on", () => {
    const shared = layOutRates(ratePathFrom(planted([org]), "org"));
    const charge = { sheet: shared, amounts: [0, Number.MAX_SAFE_INTEGER - 3], requests: 1, tokens: 5 };
    expect(chargeRates(charge)).toEqual([1, 3]);
    expect(chargeBounds(charge)).toBeUndefined();
  });

  it("of an old path in a newer plan is carried off the node that holds for it now", () => {
    const moved = planted([
      { ...org, tpm: 10 },
      { ...key, tpm: 3, parent: "org" },
    ]);
    const left = layOutRates([moved.nodes.get("key")!]);
    expect(left.cells.at(-1)).toEqual({ nodeId: "org", dimension: "tpm", counts: "given" });
    expect(chargeRates({ sheet: left, amounts: [0, 0, 0], requests: 0, tokens: 2 })).toEqual([0, 2, -2]);
  });
});

/** What happens next, each from one number: who, what, how much. */
const steps = fc.array(fc.nat({ max: 2 ** 30 }), { maxLength: 24 });

interface Charged {
  readonly nodes: readonly string[];
  readonly tokens: number;
}

/**
 * Runs a history: requests, settlements above and below the estimate, releases. Every answer is compared with the definition's, on the
 * uses of the whole forest.
 */
function run(plan: RatePlan, numbers: readonly number[], minute: KeptMinute = keptMinute()): KeptMinute {
  const ids = [...plan.nodes.keys()];
  const open: Charged[] = [];
  for (const number of numbers) {
    const what = number % 8;
    const amount = Math.floor(number / 8) % 6;
    const pick = Math.floor(number / 48);
    if (what < 5 || open.length === 0) {
      const path = ratePathFrom(plan, ids[pick % ids.length]!);
      if (ask(plan, { path, estimate: amount }, minute)) {
        open.push({ nodes: path.map(({ id }) => id), tokens: amount });
        seen.admitted += 1;
      }
      continue;
    }
    const [charged] = open.splice(pick % open.length, 1);
    const left = charged!.nodes.flatMap((id) => plan.nodes.get(id) ?? []);
    if (what === 5) minute.charge(left, { requests: -1, tokens: -charged!.tokens });
    else if (what === 6) minute.charge(left, { requests: 0, tokens: -Math.min(amount, charged!.tokens) });
    else minute.charge(left, { requests: 0, tokens: 2 * amount });
  }
  if (minute.rebuild(plan) !== 0) throw new Error("A charge left a D(i) that is not what the uses say.");
  return minute;
}

/** That the histories are worth running is asked at the end. */
const seen = { admitted: 0, refused: 0, overdrawn: 0, overCommitted: 0, zero: 0 };

function ask(
  plan: RatePlan,
  { path, estimate }: { readonly path: readonly RatePlanNode[]; readonly estimate: number },
  minute: KeptMinute,
): boolean {
  const sheet = layOutRates(path);
  const answer = decideRates({ sheet, amounts: minute.amountsOf(sheet), estimate });
  const expected = checkRatePlan({ plan, path, usage: minute.usage, estimate });
  if (inWords(answer) !== inWords(expected))
    throw new Error(`The definition says ${inWords(expected)}, the short form ${inWords(answer)}.`);
  if (answer.allowed) minute.add(sheet, answer.additions);
  else {
    const { limit, used, dimension, node } = answer.refusal;
    seen.refused += 1;
    if (used > limit) seen.overdrawn += 1;
    if (limit === 0) seen.zero += 1;
    if (limit > 0 && plan.nodes.get(node.id)![dimension]!.limitsBelow > limit) seen.overCommitted += 1;
  }
  return answer.allowed;
}

function inWords(answer: RateAnswer | RatesAnswer): string {
  if (answer.allowed) return "yes";
  const { node, dimension, limit, used, heldForChildren, requested } = answer.refusal;
  return [node.id, node.kind, dimension, limit, used, heldForChildren, requested].join(" ");
}

describe("the form whose cost follows the depth", () => {
  it(`answers as the definition does, in ${String(HISTORIES)} histories`, () => {
    let histories = 0;
    fc.assert(
      fc.property(forest, fc.array(steps, { minLength: 10, maxLength: 10 }), (nodes, tenOfThem) => {
        const plan = planted(nodes);
        for (const numbers of tenOfThem) run(plan, numbers);
        histories += tenOfThem.length;
      }),
      { numRuns: HISTORIES / 10 },
    );
    expect(histories).toBeGreaterThanOrEqual(HISTORIES);
    for (const [what, times] of Object.entries(seen)) expect(times, what).toBeGreaterThan(HISTORIES / 100);
  }, 600_000);

  it("answers as the definition does after any change of the plan in a running minute", () => {
    fc.assert(
      fc.property(forest, forest, steps, steps, (before, after, numbers, more) => {
        const minute = run(planted(before), numbers);
        const plan = planted(after);
        minute.rebuild(plan);
        run(plan, more, minute);
      }),
      { numRuns: 250 },
    );
  });

  it("charges what is left of an old path so that every D(i) stays what the uses say", () => {
    fc.assert(
      fc.property(
        forest,
        forest,
        steps,
        fc.nat(),
        fc.integer({ min: -5, max: 5 }),
        (before, after, numbers, pick, tokens) => {
          const old = planted(before);
          const minute = run(old, numbers);
          const plan = planted(after);
          minute.rebuild(plan);
          const leaf = [...old.nodes.keys()][pick % old.nodes.size]!;
          const left = ratePathFrom(old, leaf).flatMap(({ id }) => plan.nodes.get(id) ?? []);
          minute.charge(left, { requests: Math.sign(tokens), tokens });
          expect(minute.rebuild(plan)).toBe(0);
        },
      ),
      { numRuns: 500 },
    );
  });
});

describe("a fixed node with room of its own", () => {
  it("is never refused because of a sibling, while nothing is over-committed and D(i) + S(i) ≤ L(i) up to its root", () => {
    const asked = { always: 0, withAnOverdraftElsewhere: 0 };
    fc.assert(
      fc.property(
        keptPromises,
        steps,
        fc.constantFrom<RateDimension>("rpm", "tpm"),
        (nodes, numbers, dimension) => {
          const plan = planted(
            nodes.map(({ id, kind, parent, [dimension]: limit }) => ({
              id,
              kind,
              parent,
              [dimension]: limit,
            })),
          );
          const minute = run(plan, numbers);
          const used = (id: string): number =>
            minute.usage.get(id)[dimension === "rpm" ? "requests" : "tokens"];
          const isOverdrawn = [...plan.nodes.values()].some(
            (node) => used(node.id) > (node[dimension]?.limit ?? Infinity),
          );
          for (const id of plan.nodes.keys()) {
            const sheet = layOutRates(ratePathFrom(plan, id));
            const amounts = minute.amountsOf(sheet);
            const own = sheet[dimension][0]!.fixed;
            const isKept = sheet[dimension].every(
              ({ fixed }) => fixed === undefined || amounts[fixed.given]! + fixed.limitsBelow <= fixed.limit,
            );
            if (own === undefined || !isKept) continue;
            const room = roomAt(own, amounts);
            if (room < 1) continue;
            asked.always += 1;
            if (isOverdrawn) asked.withAnOverdraftElsewhere += 1;
            const estimate = dimension === "tpm" ? room : 0;
            expect(inWords(decideRates({ sheet, amounts, estimate }))).toBe("yes");
          }
        },
      ),
      { numRuns: 500 },
    );
    expect(asked.always).toBeGreaterThan(300);
    expect(asked.withAnOverdraftElsewhere).toBeGreaterThan(3);
  });
});

describe("the bounds of a verdict", () => {
  /** Any amounts that are all within the bounds: some at them, some far below. */
  const within = (bounds: readonly number[], numbers: readonly number[]): number[] =>
    bounds.map((bound, i) => {
      const number = numbers[i % numbers.length]!;
      const top = bound === Infinity ? 2 ** 40 : bound;
      return number % 3 === 0 ? top : top - (number % 12);
    });
  const draws = fc.array(fc.nat({ max: 2 ** 20 }), { minLength: 1, maxLength: 48 });

  it("of an admission: at any amounts up to them it passes, and adds the same; at one more of what was given it does not", () => {
    const met = { allowances: 0, tight: 0 };
    fc.assert(
      fc.property(
        forest,
        steps,
        fc.nat(),
        fc.nat({ max: 4 }),
        draws,
        (nodes, numbers, pick, estimate, drawn) => {
          const plan = planted(nodes);
          const minute = run(plan, numbers);
          const leaf = [...plan.nodes.keys()][pick % plan.nodes.size]!;
          const sheet = layOutRates(ratePathFrom(plan, leaf));
          const amounts = minute.amountsOf(sheet);
          const answer = decideRates({ sheet, amounts, estimate });
          if (!answer.allowed) return;
          met.allowances += 1;
          const bounds = ratesBounds({ sheet, amounts, estimate })!;
          expect(bounds.every((bound, i) => bound >= amounts[i]!)).toBe(true);
          for (const risen of [within(bounds, drawn), within(bounds, [0])])
            expect(decideRates({ sheet, amounts: risen, estimate })).toEqual(answer);
          const given = sheet.cells.findIndex(
            ({ counts }, i) => counts === "given" && bounds[i] !== Infinity,
          );
          if (given < 0) return;
          met.tight += 1;
          const over = within(bounds, [0]).map((amount, i) => (i === given ? amount + 1 : amount));
          expect(decideRates({ sheet, amounts: over, estimate }).allowed).toBe(false);
        },
      ),
      { numRuns: 1500 },
    );
    expect(met.allowances).toBeGreaterThan(300);
    expect(met.tight).toBeGreaterThan(60);
  });

  it("of a settlement or a refund: at any amounts up to them it adds the same; where its carry depends on the reading there are none", () => {
    const met = { bounded: 0, exact: 0 };
    fc.assert(
      fc.property(
        forest,
        steps,
        fc.nat(),
        fc.integer({ min: -6, max: 12 }),
        draws,
        (nodes, numbers, pick, tokens, drawn) => {
          const plan = planted(nodes);
          const minute = run(plan, numbers);
          const leaf = [...plan.nodes.keys()][pick % plan.nodes.size]!;
          const sheet = layOutRates(ratePathFrom(plan, leaf));
          const amounts = minute.amountsOf(sheet);
          const charge = { sheet, requests: tokens < 0 ? -1 : 0, tokens };
          const additions = chargeRates({ ...charge, amounts });
          const bounds = chargeBounds({ ...charge, amounts });
          if (bounds === undefined) {
            met.exact += 1;
            return;
          }
          met.bounded += 1;
          expect(bounds.every((bound, i) => bound >= amounts[i]!)).toBe(true);
          expect(chargeRates({ ...charge, amounts: within(bounds, drawn) })).toEqual(additions);
          expect(chargeRates({ ...charge, amounts: within(bounds, [0]) })).toEqual(additions);
        },
      ),
      { numRuns: 1000 },
    );
    expect(met.bounded).toBeGreaterThan(150);
    expect(met.exact).toBeGreaterThan(25);
  });
});
