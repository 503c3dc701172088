import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import {
  decideFairShare,
  decidingDimension,
  leaseGeneration,
  windowBucket,
  type DimensionQuestion,
  type FairShareQuestion,
  type Policy,
} from "@quota/core";
import { fairShareQuestion, moment } from "./arbitraries.js";

const NOW = Date.UTC(2026, 0, 5);
const requests = { name: "requests/hourly", unit: "requests", window: "hourly", limit: 100 } as const;
const tokens = { name: "tokens/5h", unit: "tokens", window: "5h", limit: 1000 } as const;

function ask(
  terms: Partial<DimensionQuestion> & { readonly policy?: Policy; readonly saturationThreshold?: number },
): FairShareQuestion {
  const { policy = "hard", saturationThreshold, ...dimension } = terms;
  return {
    policy,
    saturationThreshold,
    dimensions: [{ dimension: requests, used: 0, total: 0, cost: 1, share: 30, ...dimension }],
  };
}

describe("one dimension: limit 100, share 30, cost 1 unless said", () => {
  const rows: readonly (readonly [string, Parameters<typeof ask>[0], object])[] = [
    ["an idle pool admits", {}, { status: "allowed" }],
    ["a generous pool lends past the share", { used: 49, total: 49 }, { status: "allowed" }],
    ["at half the limit shares bind", { used: 50, total: 50 }, { status: "refused", reason: "fair-share" }],
    ["in strict mode a key below its share passes", { used: 29, total: 60 }, { status: "allowed" }],
    [
      "in strict mode a key at its share is refused",
      { used: 30, total: 60 },
      { status: "refused", reason: "fair-share" },
    ],
    [
      "a request that costs nothing passes at the share",
      { used: 30, total: 60, cost: 0 },
      { status: "allowed" },
    ],
    ["… but not past it", { used: 31, total: 60, cost: 0 }, { status: "refused", reason: "fair-share" }],
    ["a small share can send one large prompt", { used: 29, total: 50, cost: 50 }, { status: "allowed" }],
    [
      "a soft key past its share is deprioritized",
      { used: 30, total: 60, policy: "soft" },
      { status: "deprioritized" },
    ],
    ["a burst key past its share passes", { used: 80, total: 90, policy: "burst" }, { status: "allowed" }],
    [
      "a corrupt policy counts as hard",
      { used: 30, total: 60, policy: "sotf" as Policy },
      { reason: "fair-share" },
    ],
    [
      "the ceiling holds for burst keys too",
      { used: 10, total: 100, policy: "burst" },
      { reason: "global-saturated" },
    ],
    ["the last request that fits passes", { used: 10, total: 99 }, { status: "allowed" }],
    [
      "one that does not fit any more is refused",
      { used: 10, total: 99, cost: 2 },
      { reason: "global-saturated" },
    ],
    [
      "even a free request is refused when the pool is full",
      { total: 100, cost: 0 },
      { reason: "global-saturated" },
    ],
    ["a cost above the limit can never pass", { cost: 101 }, { reason: "too-large" }],
    ["a cost above the cap can never pass", { cost: 11, cap: 10 }, { reason: "too-large" }],
    ["a cap holds while the pool is generous", { used: 10, total: 10, cap: 10 }, { reason: "cap-absolute" }],
    ["a cap counts the whole cost", { used: 9, total: 9, cap: 10, cost: 2 }, { reason: "cap-absolute" }],
    ["a cap is met exactly", { used: 9, total: 9, cap: 10 }, { status: "allowed" }],
    [
      "a cap holds for burst keys",
      { used: 10, total: 10, cap: 10, policy: "burst" },
      { reason: "cap-absolute" },
    ],
    ["the cap speaks before the ceiling", { used: 10, total: 100, cap: 10 }, { reason: "cap-absolute" }],
    [
      "a threshold of 1 lends up to the ceiling",
      { used: 99, total: 99, saturationThreshold: 1 },
      { status: "allowed" },
    ],
    [
      "a threshold of 0 never lends",
      { used: 30, total: 30, saturationThreshold: 0 },
      { reason: "fair-share" },
    ],
    ["a key without a share only borrows", { used: 0, total: 49, share: 0 }, { status: "allowed" }],
    ["… and gets nothing once strict", { used: 0, total: 50, share: 0 }, { reason: "fair-share" }],
    [
      "an unknown limit only counts",
      { dimension: { ...requests, limit: "unknown" }, used: 1e9, total: 1e9 },
      { status: "allowed" },
    ],
    [
      "… but a cap still holds",
      { dimension: { ...requests, limit: "unknown" }, used: 5, total: 5, cap: 5 },
      { reason: "cap-absolute" },
    ],
    [
      "what the provider saw beyond our count fills the pool",
      { signal: { utilization: 1, totalThen: 0 } },
      { reason: "global-saturated" },
    ],
    [
      "… and turns it strict",
      { used: 30, total: 30, signal: { utilization: 0.5, totalThen: 30 } },
      { reason: "fair-share" },
    ],
    [
      "a provider that saw less than we counted changes nothing",
      { used: 20, total: 40, signal: { utilization: 0.1, totalThen: 40 } },
      { status: "allowed" },
    ],
    [
      "a reading stops to bind at its reset",
      { signal: { utilization: 1, totalThen: 0, until: NOW } },
      { status: "allowed" },
    ],
  ];
  test.each(rows)("%s", (_sentence, terms, expected) => {
    expect(decideFairShare(ask(terms), NOW)).toMatchObject(expected);
  });

  it("tells every number a page needs", () => {
    const [answer] = decideFairShare(ask({ used: 40, total: 60, cap: 90 }), NOW).dimensions;
    expect(answer).toEqual({
      name: "requests/hourly",
      unit: "requests",
      window: "hourly",
      limit: 100,
      lending: "threshold",
      mode: "strict",
      globalUsedPercent: 0.6,
      cost: 1,
      used: 40,
      held: 0,
      total: 60,
      outside: 0,
      share: 30,
      cap: 90,
      remaining: 0,
      available: 0,
      maxAllowed: 80,
      borrowing: true,
      refusal: "fair-share",
    });
  });

  it("names too-large, share and wait so that a client can tell them apart", () => {
    expect(decideFairShare(ask({ cost: 101 }), NOW)).not.toHaveProperty("retryAt");
    expect(decidingDimension(decideFairShare(ask({ used: 30, total: 60 }), NOW))?.share).toBe(30);
  });
});

describe("what is in flight", () => {
  const shape = { slotMs: 3_600_000, slots: 1, edge: "weighted" } as const;
  const settled = windowBucket(shape, Math.floor(NOW / shape.slotMs));
  const held = leaseGeneration(600_000, Math.floor(NOW / 600_000));
  const use = (done: number, open: number) => ({ buckets: [settled, held], amounts: [done, open] });

  const rows: readonly (readonly [string, Partial<DimensionQuestion>, object])[] = [
    [
      "holds alone fill the pool",
      { used: use(0, 10), total: use(40, 60) },
      { reason: "in-flight", cause: "global-saturated" },
    ],
    [
      "settled use alone fills the pool",
      { used: use(0, 0), total: use(100, 5) },
      { reason: "global-saturated" },
    ],
    [
      "a hold takes the last of a share",
      { used: use(29, 1), total: use(59, 1) },
      { reason: "in-flight", cause: "fair-share" },
    ],
    [
      "holds alone turn the pool strict",
      { used: use(40, 0), total: use(40, 10) },
      { reason: "in-flight", cause: "fair-share" },
    ],
    [
      "a hold reaches a cap",
      { used: use(5, 5), total: use(5, 5), cap: 10 },
      { reason: "in-flight", cause: "cap-absolute" },
    ],
    [
      "no stream's end helps a request that is too large",
      { used: use(0, 99), total: use(0, 99), cost: 101 },
      { reason: "too-large" },
    ],
  ];
  test.each(rows)("%s", (_sentence, terms, expected) => {
    const decision = decideFairShare(ask(terms), NOW);
    expect(decision).toMatchObject(expected);
    if ((expected as { reason: string }).reason === "in-flight")
      expect(decision).not.toHaveProperty("retryAt");
  });
});

describe("several dimensions", () => {
  const full = { dimension: requests, used: 0, total: 100, cost: 1, share: 30 };
  const free = { dimension: tokens, used: 0, total: 0, cost: 10, share: 300 };
  it("refuses if any refuses", () => {
    expect(decideFairShare({ policy: "hard", dimensions: [free, full] }, NOW)).toMatchObject({
      decidedBy: "requests/hourly",
    });
  });
  it("reports the one that clears last, and one that never clears before all", () => {
    const bucket = (name: string, goneAt: number) => ({
      buckets: [{ holds: "settled" as const, index: 0, fadesFrom: goneAt, goneAt }],
      amounts: [name === "tokens" ? 1000 : 100],
    });
    const soon = { ...full, total: bucket("requests", NOW + 1000) };
    const late = { ...free, total: bucket("tokens", NOW + 5000) };
    expect(decideFairShare({ policy: "hard", dimensions: [late, soon] }, NOW)).toMatchObject({
      decidedBy: "tokens/5h",
      retryAt: NOW + 5000,
    });
    expect(
      decideFairShare({ policy: "hard", dimensions: [late, { ...soon, cost: 101 }] }, NOW),
    ).toMatchObject({ reason: "too-large", decidedBy: "requests/hourly" });
  });
});

describe("for any question", () => {
  const asked = moment.chain((now) => fc.record({ now: fc.constant(now), question: fairShareQuestion(now) }));

  it("retryAt is the first millisecond at which the same request passes", () => {
    fc.assert(
      fc.property(asked, ({ now, question }) => {
        const decision = decideFairShare(question, now);
        fc.pre(decision.status === "refused" && decision.retryAt !== undefined);
        const { retryAt } = decision;
        expect(retryAt).toBeGreaterThan(now);
        expect(Number.isInteger(retryAt)).toBe(true);
        expect(decideFairShare(question, retryAt).allowed).toBe(true);
        expect(decideFairShare(question, retryAt - 1).allowed).toBe(false);
      }),
      { numRuns: 1000 },
    );
  });

  it("a refusal without retryAt is one that no time mends, or that streams in flight do", () => {
    fc.assert(
      fc.property(asked, ({ now, question }) => {
        const decision = decideFairShare(question, now);
        fc.pre(
          decision.status === "refused" && decision.retryAt === undefined && decision.reason !== "in-flight",
        );
        expect(decideFairShare(question, now + 1_000_000).allowed).toBe(false);
      }),
      { numRuns: 500 },
    );
  });

  it("the order of the dimensions changes nothing", () => {
    fc.assert(
      fc.property(asked, fc.infiniteStream(fc.nat()), ({ now, question }, order) => {
        const shuffled = [...question.dimensions]
          .map((dimension) => ({ dimension, key: order.next().value }))
          .sort((a, b) => a.key - b.key)
          .map(({ dimension }) => dimension);
        const one = decideFairShare(question, now);
        const other = decideFairShare({ ...question, dimensions: shuffled }, now);
        expect({ ...other, dimensions: [] }).toEqual({ ...one, dimensions: [] });
      }),
      { numRuns: 500 },
    );
  });

  it("a key that has not used up its share is never refused with fair-share", () => {
    fc.assert(
      fc.property(asked, ({ now, question }) => {
        for (const answer of decideFairShare(question, now).dimensions)
          if (answer.refusal === "fair-share") expect(answer.used).toBeGreaterThanOrEqual(answer.share!);
      }),
      { numRuns: 500 },
    );
  });

  it("what is admitted never takes a dimension past its limit or a key past its cap", () => {
    fc.assert(
      fc.property(asked, ({ now, question }) => {
        const decision = decideFairShare(question, now);
        fc.pre(decision.allowed);
        for (const { limit, total, outside, cost, cap, used } of decision.dimensions) {
          if (limit !== "unknown") expect(total + outside + cost).toBeLessThanOrEqual(limit);
          if (cap !== undefined) expect(used + cost).toBeLessThanOrEqual(cap);
        }
      }),
      { numRuns: 500 },
    );
  });

  it("available is the largest cost that would pass where sums are rounded, too", () => {
    const dimension = { name: "usd/monthly", unit: "usd", window: "monthly", limit: 2 ** 52 } as const;
    const at = (cost: number) =>
      decideFairShare({ policy: "burst", dimensions: [{ dimension, used: 0.5, total: 0.5, cost }] }, 0);
    const available = at(1).dimensions[0]!.available as number;
    expect(at(available).allowed).toBe(true);
    expect(at(available + 1).allowed).toBe(false);
  });

  it("available is the largest cost that would pass", () => {
    fc.assert(
      fc.property(
        moment.chain((now) => fc.record({ now: fc.constant(now), question: fairShareQuestion(now) })),
        ({ now, question }) => {
          const [first] = question.dimensions;
          const at = (cost: number) =>
            decideFairShare({ ...question, dimensions: [{ ...first!, cost }] }, now);
          const { available } = at(first!.cost).dimensions[0]!;
          fc.pre(available !== "unlimited");
          if (available > 0) expect(at(available).allowed).toBe(true);
          expect(at(available + 1).allowed).toBe(false);
        },
      ),
      { numRuns: 500 },
    );
  });
});
