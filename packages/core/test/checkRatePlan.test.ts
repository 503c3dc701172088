import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { checkRatePlan, rateRefusalText, type RateAnswer, type RateUsage } from "../src/checkRatePlan.js";
import { decideRates, type RatesAnswer } from "../src/decideRates.js";
import { InvalidAmountError } from "../src/invalidAmountError.js";
import { plantRatePlan, ratePathFrom, type RateDimension, type RatePlan } from "../src/ratePlan.js";
import type { RatePlanNodeInput } from "../src/readRatePlan.js";
import { sheetOf } from "./keptMinute.js";
import { climb, forest, keptPromises } from "./rateForest.js";

function planted(nodes: readonly RatePlanNodeInput[], path?: readonly string[]): RatePlan {
  const result = plantRatePlan({ nodes, path });
  if (!result.ok) throw new Error(result.faults.map((fault) => fault.message).join("\n"));
  return result.plan;
}

/** One UTC minute of counters, charged the way a store would. */
function minute(nodes: readonly RatePlanNodeInput[]) {
  const plan = planted(nodes);
  const usage = new Map<string, RateUsage>();
  return {
    plan,
    usage,
    send(leaf: string, estimate = 0): RateAnswer {
      const answer = checkRatePlan({ plan, path: ratePathFrom(plan, leaf), usage, estimate });
      for (const { nodeId, requests, tokens } of answer.allowed ? answer.charges : []) {
        const so = usage.get(nodeId) ?? { requests: 0, tokens: 0 };
        usage.set(nodeId, { requests: so.requests + requests, tokens: so.tokens + tokens });
      }
      return answer;
    },
    admitted(leaf: string, times: number, estimate = 0): number {
      return Array.from({ length: times }, () => this.send(leaf, estimate)).filter((answer) => answer.allowed)
        .length;
    },
  };
}

/** `"passes"`, or the words of the refusal. */
function said(answer: RateAnswer | RatesAnswer): string {
  return answer.allowed ? "passes" : rateRefusalText(answer.refusal);
}

const org = { id: "org", kind: "organisation" };
const keyA = { id: "a", kind: "key", parent: "org" };
const keyB = { id: "b", kind: "key", parent: "org" };

describe("one request", () => {
  it.each<
    [
      string,
      { nodes: RatePlanNodeInput[]; used?: Record<string, [number, number]>; estimate?: number },
      string,
    ]
  >([
    [
      "passes shared nodes, however much they used",
      { nodes: [org, keyA], used: { a: [1e9, 1e9], org: [1e9, 1e9] } },
      "passes",
    ],
    [
      "passes when it fills the limit exactly",
      { nodes: [org, { ...keyA, rpm: 5 }], used: { a: [4, 0] } },
      "passes",
    ],
    [
      "is refused when it goes one over",
      { nodes: [org, { ...keyA, rpm: 5 }], used: { a: [5, 0] } },
      "key rpm_limit",
    ],
    [
      "passes when its tokens fill the limit exactly",
      { nodes: [{ ...org, tpm: 9 }, keyA], used: { org: [0, 4] }, estimate: 5 },
      "passes",
    ],
    [
      "is refused for one token more",
      { nodes: [{ ...org, tpm: 9 }, keyA], used: { org: [0, 4] }, estimate: 6 },
      "organisation tpm_limit",
    ],
    ["is refused at a limit of 0 requests", { nodes: [{ ...org, rpm: 0 }, keyA] }, "organisation rpm_limit"],
    [
      "is refused at a limit of 0 tokens, even with 0 tokens",
      { nodes: [org, { ...keyA, tpm: 0 }], estimate: 0 },
      "key tpm_limit",
    ],
    [
      "passes at a full token limit with 0 tokens",
      { nodes: [org, { ...keyA, tpm: 5 }], used: { a: [0, 5] }, estimate: 0 },
      "passes",
    ],
    [
      "is refused at an overdrawn token limit, even with 0 tokens",
      { nodes: [org, { ...keyA, tpm: 5 }], used: { a: [0, 6] }, estimate: 0 },
      "key tpm_limit",
    ],
    [
      "counts a negative estimate as 0",
      { nodes: [org, { ...keyA, tpm: 5 }], used: { a: [0, 5] }, estimate: -100 },
      "passes",
    ],
    [
      "meets its leaf before its root",
      {
        nodes: [
          { ...org, rpm: 0 },
          { ...keyA, rpm: 0 },
        ],
      },
      "key rpm_limit",
    ],
    [
      "meets every request limit before any token limit",
      {
        nodes: [
          { ...org, rpm: 0 },
          { ...keyA, tpm: 0 },
        ],
      },
      "organisation rpm_limit",
    ],
    [
      "finds a sibling's unused share taken",
      { nodes: [{ ...org, rpm: 10 }, keyA, { ...keyB, rpm: 4 }], used: { org: [6, 0] } },
      "organisation rpm_limit",
    ],
    [
      "may use what a sibling's share leaves",
      { nodes: [{ ...org, rpm: 10 }, keyA, { ...keyB, rpm: 4 }], used: { org: [5, 0] } },
      "passes",
    ],
    [
      "is not blocked by its own share",
      {
        nodes: [
          { ...org, rpm: 10 },
          { ...keyA, rpm: 10 },
        ],
        used: { org: [9, 0], a: [9, 0] },
      },
      "passes",
    ],
    [
      "is not helped by a sibling's overdraft",
      { nodes: [{ ...org, rpm: 10 }, keyA, { ...keyB, rpm: 4 }], used: { org: [10, 0], b: [9, 0] } },
      "organisation rpm_limit",
    ],
    [
      "is held back by a share below a shared sibling",
      { nodes: [{ ...org, rpm: 3 }, keyA, keyB, { id: "c", kind: "user", parent: "b", rpm: 3 }] },
      "organisation rpm_limit",
    ],
    [
      "is held back by the nearest shares only",
      {
        nodes: [
          { ...org, rpm: 3 },
          keyA,
          { ...keyB, rpm: 2 },
          { id: "c", kind: "user", parent: "b", rpm: 9 },
        ],
      },
      "passes",
    ],
  ])("%s", (_, { nodes, used = {}, estimate = 1 }, expected) => {
    const usage = new Map(Object.entries(used).map(([id, [requests, tokens]]) => [id, { requests, tokens }]));
    const plan = planted(nodes, ["a", "org"]);
    expect(said(checkRatePlan({ plan, usage, estimate }))).toBe(expected);
    const short = decideRates({ ...sheetOf(plan.path, { plan, usage }), estimate: Math.max(0, estimate) });
    expect(said(short)).toBe(expected);
  });

  it("charges every node of the path, shared ones too, from leaf to root", () => {
    const plan = planted([{ ...org, rpm: 10 }, keyA, keyB], ["a", "org"]);
    expect(checkRatePlan({ plan, usage: new Map(), estimate: 70 })).toEqual({
      allowed: true,
      charges: [
        { nodeId: "a", requests: 1, tokens: 70 },
        { nodeId: "org", requests: 1, tokens: 70 },
      ],
    });
  });

  it("is refused with the node, the dimension and all numbers", () => {
    const plan = planted([{ ...org, tpm: 100 }, keyA, { ...keyB, tpm: 40 }], ["a", "org"]);
    const usage = new Map([
      ["org", { requests: 3, tokens: 35 }],
      ["b", { requests: 1, tokens: 10 }],
    ]);
    expect(checkRatePlan({ plan, usage, estimate: 36 })).toEqual({
      allowed: false,
      refusal: {
        node: { id: "org", kind: "organisation" },
        dimension: "tpm",
        limit: 100,
        used: 35,
        heldForChildren: 30,
        requested: 36,
      },
    });
  });

  it("passes an empty path without looking at any counter", () => {
    const usage = {
      get: (): never => {
        throw new Error("looked");
      },
    };
    expect(checkRatePlan({ plan: planted([{ ...org, rpm: 0 }]), usage, estimate: 1 })).toEqual({
      allowed: true,
      charges: [],
    });
  });

  it("takes the path it is given over the plan's own", () => {
    const plan = planted([{ ...org, rpm: 9 }, { ...keyA, rpm: 0 }, keyB], ["a", "org"]);
    expect(said(checkRatePlan({ plan, usage: new Map(), estimate: 0 }))).toBe("key rpm_limit");
    expect(said(checkRatePlan({ plan, path: ratePathFrom(plan, "b"), usage: new Map(), estimate: 0 }))).toBe(
      "passes",
    );
  });

  it("charges the next whole token for a fractional estimate", () => {
    const plan = planted([{ ...org, tpm: 3 }], ["org"]);
    expect(checkRatePlan({ plan, usage: new Map(), estimate: 2.1 })).toMatchObject({
      charges: [{ tokens: 3 }],
    });
    expect(said(checkRatePlan({ plan, usage: new Map(), estimate: 3.1 }))).toBe("organisation tpm_limit");
  });

  it.each([NaN, Infinity, -Infinity, 1e308, 2 ** 53, "12", true, undefined])(
    "throws for an estimate of %s",
    (estimate) => {
      const plan = planted([{ ...org, rpm: 0 }], ["org"]);
      expect(() => checkRatePlan({ plan, usage: new Map(), estimate: estimate as number })).toThrow(
        InvalidAmountError,
      );
    },
  );

  it("walks a path of 100 000 fixed nodes", () => {
    const nodes = Array.from({ length: 100_000 }, (_, i) => ({
      id: String(i),
      kind: "node",
      tpm: 7,
      parent: i === 0 ? null : String(i - 1),
    }));
    const plan = planted(nodes);
    const answer = checkRatePlan({ plan, path: ratePathFrom(plan, "99999"), usage: new Map(), estimate: 7 });
    expect(answer.allowed && answer.charges).toHaveLength(100_000);
  }, 60_000);
});

describe("a minute of requests", () => {
  it.each<[string, RatePlanNodeInput[], estimate: number]>([
    ["requests", [{ ...org, rpm: 10 }, { ...keyA, rpm: 2 }, keyB], 0],
    ["tokens", [{ ...org, tpm: 1000 }, { ...keyA, tpm: 200 }, keyB], 100],
  ])("charges nobody for refused requests: org 10, key A 2, key B none, in %s", (_, nodes, estimate) => {
    const one = minute(nodes);
    expect(one.admitted("a", 10, estimate)).toBe(2);
    expect(one.usage.get("org")).toEqual({ requests: 2, tokens: 2 * estimate });
    expect(one.admitted("b", 8, estimate)).toBe(8);
    expect(one.usage.get("org")).toEqual({ requests: 10, tokens: 10 * estimate });
    expect(one.admitted("b", 1, estimate)).toBe(0);
  });

  it("keeps a silent key's share against a loud sibling", () => {
    const one = minute([{ ...org, rpm: 10 }, { ...keyA, rpm: 4 }, keyB]);
    expect(one.admitted("b", 50)).toBe(6);
    expect(one.admitted("a", 50)).toBe(4);
  });

  it("silently shrinks promises that exceed the parent's: 100 over 80 + 80", () => {
    const one = minute([
      { ...org, rpm: 100 },
      { ...keyA, rpm: 80 },
      { ...keyB, rpm: 80 },
    ]);
    expect(one.admitted("a", 100)).toBe(20);
    expect(one.admitted("b", 100)).toBe(20);
  });

  it("lets a chain of equal limits be used up to the last request", () => {
    const one = minute([
      { ...org, rpm: 7 },
      { ...keyA, rpm: 7 },
      { id: "u", kind: "user", parent: "a", rpm: 7 },
    ]);
    expect(one.admitted("u", 20)).toBe(7);
  });
});

const step = fc.record({ leaf: fc.nat(), estimate: fc.nat({ max: 3 }) });
const steps = fc.array(step, { maxLength: 60 });

describe("whatever the plan and the traffic", () => {
  it("the answer is the definition's, read from the top of the tree down", () => {
    const amounts = fc.array(fc.record({ requests: fc.nat({ max: 9 }), tokens: fc.nat({ max: 9 }) }), {
      minLength: 12,
      maxLength: 12,
    });
    fc.assert(
      fc.property(
        forest,
        amounts,
        fc.nat(),
        fc.integer({ min: -2, max: 6 }),
        (nodes, used, pick, estimate) => {
          const leaf = nodes[pick % nodes.length]!.id;
          const usage = new Map(nodes.map(({ id }, i) => [id, used[i]!]));
          const plan = planted(nodes);
          const answer = checkRatePlan({ plan, path: ratePathFrom(plan, leaf), usage, estimate });
          expect(answer).toEqual(definition({ nodes, usage, leaf, estimate }));
        },
      ),
      { numRuns: 2000 },
    );
  });

  it("counters are the number and the tokens of admitted requests, and limits hold", () => {
    fc.assert(
      fc.property(forest, steps, (nodes, traffic) => {
        const one = minute(nodes);
        const admitted: { path: string[]; estimate: number }[] = [];
        for (const { leaf, estimate } of traffic) {
          const id = nodes[leaf % nodes.length]!.id;
          const before = new Map(one.usage);
          if (one.send(id, estimate).allowed) admitted.push({ path: climb(nodes, id), estimate });
          else expect(one.usage).toEqual(before);
        }
        for (const { id, rpm, tpm } of nodes) {
          const through = admitted.filter(({ path }) => path.includes(id));
          const use = one.usage.get(id) ?? { requests: 0, tokens: 0 };
          expect(use).toEqual({
            requests: through.length,
            tokens: through.reduce((sum, { estimate }) => sum + estimate, 0),
          });
          expect(use.requests).toBeLessThanOrEqual(rpm ?? Infinity);
          expect(use.tokens).toBeLessThanOrEqual(tpm ?? Infinity);
        }
      }),
    );
  });

  it("a fixed node that nobody promised away can always use all that is its own", () => {
    let asked = 0;
    fc.assert(
      fc.property(
        keptPromises,
        fc.constantFrom<RateDimension>("rpm", "tpm"),
        steps,
        (given, dimension, traffic) => {
          const nodes = given.map(({ id, kind, parent, [dimension]: limit }) => ({
            id,
            kind,
            parent,
            [dimension]: limit,
          }));
          const one = minute(nodes);
          for (const { leaf, estimate } of traffic) one.send(nodes[leaf % nodes.length]!.id, estimate);
          const used = (id: string): number =>
            one.usage.get(id)?.[dimension === "rpm" ? "requests" : "tokens"] ?? 0;
          for (const { id, rpm, tpm } of one.plan.nodes.values()) {
            const fixed = dimension === "rpm" ? rpm : tpm;
            if (fixed === undefined) continue;
            const keptBelow = fixed.fixedBelow.reduce(
              (sum, child) => sum + Math.max(0, child.limit - used(child.id)),
              0,
            );
            const own = fixed.limit - used(id) - keptBelow;
            expect(own).toBeGreaterThanOrEqual(0);
            if (own === 0) continue;
            asked += 1;
            const path = ratePathFrom(one.plan, id);
            expect(said(checkRatePlan({ plan: one.plan, path, usage: one.usage, estimate: own }))).toBe(
              "passes",
            );
            if (dimension === "tpm")
              expect(
                said(checkRatePlan({ plan: one.plan, path, usage: one.usage, estimate: own + 1 })),
              ).toMatch(/tpm_limit$/);
          }
        },
      ),
    );
    expect(asked).toBeGreaterThan(100);
  });

  it("less use anywhere on the path never turns an allowance into a refusal", () => {
    const pick = fc.nat();
    fc.assert(
      fc.property(
        forest,
        steps,
        pick,
        pick,
        fc.nat({ max: 5 }),
        (nodes, traffic, leafPick, lessPick, estimate) => {
          const one = minute(nodes);
          for (const { leaf, estimate: tokens } of traffic) one.send(nodes[leaf % nodes.length]!.id, tokens);
          const path = ratePathFrom(one.plan, nodes[leafPick % nodes.length]!.id);
          fc.pre(checkRatePlan({ plan: one.plan, path, usage: one.usage, estimate }).allowed);
          const { id } = path[lessPick % path.length]!;
          const { requests, tokens } = one.usage.get(id) ?? { requests: 0, tokens: 0 };
          one.usage.set(id, { requests: Math.max(0, requests - 1), tokens: Math.max(0, tokens - 1) });
          expect(checkRatePlan({ plan: one.plan, path, usage: one.usage, estimate }).allowed).toBe(true);
        },
      ),
    );
  });
});

interface Case {
  readonly nodes: readonly RatePlanNodeInput[];
  readonly usage: ReadonlyMap<string, RateUsage>;
  readonly leaf: string;
  readonly estimate: number;
}

/** The specification again, from the raw nodes, recursive, with sets: slow, and written without a look at the code. */
function definition({ nodes, usage, leaf, estimate }: Case): RateAnswer {
  const path = climb(nodes, leaf);
  const tokens = Math.max(0, estimate);
  for (const [dimension, field, requested] of [
    ["rpm", "requests", 1],
    ["tpm", "tokens", tokens],
  ] as const) {
    const limitOf = (node: RatePlanNodeInput): number | undefined => node[dimension] ?? undefined;
    const nearestFixedBelow = (id: string): RatePlanNodeInput[] =>
      nodes
        .filter((node) => node.parent === id)
        .flatMap((node) => (limitOf(node) === undefined ? nearestFixedBelow(node.id) : [node]));
    for (const id of path) {
      const node = nodes.find((one) => one.id === id)!;
      const limit = limitOf(node);
      if (limit === undefined) continue;
      const used = usage.get(id)![field];
      const heldForChildren = nearestFixedBelow(id)
        .filter((child) => !path.includes(child.id))
        .reduce((sum, child) => sum + Math.max(0, limitOf(child)! - usage.get(child.id)![field]), 0);
      if (limit === 0 || used + heldForChildren + requested > limit)
        return {
          allowed: false,
          refusal: { node: { id, kind: node.kind }, dimension, limit, used, heldForChildren, requested },
        };
    }
  }
  return { allowed: true, charges: path.map((nodeId) => ({ nodeId, requests: 1, tokens })) };
}
