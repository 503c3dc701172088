import { dimensionName, UNITS, WINDOWS, type Decision, type DimensionQuestion, type Use } from "@quota/core";
import {
  buildRefusal,
  buildUpstreamLimit,
  ownRateHeaders,
  ownUsageJson,
  rateLimitFields,
  type Dialect,
  type RateHeaderFamily,
} from "@quota/http";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { decided, NOON } from "./decisions.js";

const DIALECTS = ["openai", "anthropic", "codex"] as const satisfies readonly Dialect[];
const FAMILIES = new Set<RateHeaderFamily>(["codex", "anthropic-unified", "anthropic", "openai"]);

/** Everything that a key is told: headers, `/v1/usage`, and what it gets instead of an answer. */
function seen(decision: Decision): unknown {
  const pool = { connectionId: "seat", name: "Team" };
  const upstream = { status: 429, headers: { "x-ratelimit-limit-requests": "9" } };
  return {
    usage: ownUsageJson({ pool, decision }),
    fields: rateLimitFields(decision, NOON),
    headers: [...ownRateHeaders({ decision, families: FAMILIES }, NOON)],
    refusals: DIALECTS.map((dialect) =>
      decision.status === "refused" ? buildRefusal({ decision, dialect, requestId: "r" }, NOON) : undefined,
    ),
    upstream: DIALECTS.map((dialect) =>
      buildUpstreamLimit({ upstream, signals: { readings: [] }, decision, dialect, requestId: "r" }, NOON),
    ),
  };
}

/** A key's own part of a dimension, and twice everything else: two histories of the others and the owner, in pools of two sizes. */
interface Twice {
  readonly unit: (typeof UNITS)[number];
  readonly window: (typeof WINDOWS)[number];
  readonly own: {
    readonly settled: number;
    readonly held: number;
    readonly cost: number;
    readonly share: number;
    readonly cap: number | undefined;
    readonly resetsAt: number | undefined;
  };
  /** How full both pools are, in whole percent. */
  readonly percent: number;
  readonly histories: readonly [History, History];
}

interface History {
  /** The limit, in multiples of the key's use and share. */
  readonly size: number;
  /** From 0 to 1: where in its percent the pool is, and how much of the others' use is held, and seen by the provider alone. */
  readonly within: number;
  readonly held: number;
  readonly outside: number;
}

const amount = fc.integer({ min: 0, max: 50_000_000 });
const part = fc.oneof(fc.constant(0), fc.double({ min: 0, max: 0.999, noNaN: true }));
const history: fc.Arbitrary<History> = fc.record({
  size: fc.integer({ min: 2, max: 40 }),
  within: part,
  held: part,
  outside: part,
});
const twice: fc.Arbitrary<Twice> = fc.record({
  unit: fc.constantFrom(...UNITS),
  window: fc.constantFrom(...WINDOWS),
  own: fc.record({
    settled: amount,
    held: amount,
    cost: fc.oneof(fc.constantFrom(0, 1), fc.nat(1_000_000), amount),
    share: amount,
    cap: fc.oneof({ weight: 5, arbitrary: fc.constant(undefined) }, amount),
    resetsAt: fc.option(fc.constant(NOON + 5_000), { nil: undefined }),
  }),
  percent: fc.oneof(fc.integer({ min: 0, max: 101 }), fc.integer({ min: 97, max: 101 })),
  histories: fc.tuple(history, history),
});

function question(
  { unit, window, own, percent, histories }: Twice,
  which: 0 | 1,
): DimensionQuestion | undefined {
  const { size, within, held, outside } = histories[which];
  const { settled, cost, share, cap, resetsAt } = own;
  const limit = size * Math.max(1, settled + own.held, share);
  // The fullness that a key is told stops at 100.
  const everyone = Math.floor(
    (Math.min(100, percent) + (percent > 100 ? 7 * within : within)) * (limit / 100),
  );
  const others = everyone - settled - own.held;
  if (others < 0) return undefined;
  const seenOutside = Math.floor(others * outside);
  const heldByOthers = Math.floor((others - seenOutside) * held);
  return {
    dimension: { name: dimensionName(unit, window), unit, window, limit },
    used: use(settled, own.held),
    total: use(settled + others - seenOutside - heldByOthers, own.held + heldByOthers),
    outside: { amount: seenOutside, until: NOON + 1e9 },
    cost,
    share,
    cap,
    resetsAt,
  };
}

function use(settled: number, held: number): Use {
  const bucket = (holds: "settled" | "held", goneAt: number) =>
    ({ holds, index: 0, fadesFrom: goneAt, goneAt }) as const;
  return {
    buckets: [bucket("settled", NOON + 7_000_000), bucket("held", NOON + 600_000)],
    amounts: [settled, held],
  };
}

/** What is told besides fullness, and cannot be hidden from whoever asks: whether this request passes, why not, and if shares bind. */
function verdict(decision: Decision): unknown {
  return [
    decision.status,
    "reason" in decision && [decision.reason, decision.cause],
    "decidedBy" in decision && decision.decidedBy,
    decision.dimensions.map(({ mode, refusal }) => [mode, refusal]),
  ];
}

/** In whole percent, before the request and after it. */
function fullness({ dimensions, allowed }: Decision): unknown {
  return dimensions.map(({ total, outside, limit, cost }) =>
    [0, allowed ? cost : 0].map((more) =>
      Math.min(100, Math.floor(((total + outside + more) * 100) / (limit as number))),
    ),
  );
}

describe("Two members who compare notes", () => {
  const seenVerdicts = new Map<string, number>();

  test("property: see the same of any two histories of others and owner, in pools of any size, that are as full", () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(twice, {
          minLength: 1,
          maxLength: 2,
          selector: ({ unit, window }) => dimensionName(unit, window),
        }),
        fc.constantFrom("hard", "soft", "burst"),
        (dimensions, policy) => {
          const [one, other] = ([0, 1] as const).map((which) => {
            const questions = dimensions.map((each) => question(each, which));
            fc.pre(!questions.includes(undefined));
            return decided(questions as DimensionQuestion[], NOON, policy);
          }) as [Decision, Decision];
          fc.pre(
            JSON.stringify([verdict(one), fullness(one)]) ===
              JSON.stringify([verdict(other), fullness(other)]),
          );
          const name = "reason" in one ? one.reason : one.status;
          seenVerdicts.set(name, (seenVerdicts.get(name) ?? 0) + 1);
          // When it opens depends on when others used what they did: the one thing that is told and differs.
          const at = "retryAt" in one ? { retryAt: one.retryAt } : {};
          const aligned = { ...other, ...at } as Decision;
          expect(seen(aligned)).toEqual(seen(one));
        },
      ),
      { numRuns: 600 },
    );
  });

  test("… whatever was decided", () => {
    expect([...seenVerdicts.keys()].sort()).toEqual([
      "allowed",
      "cap-absolute",
      "deprioritized",
      "fair-share",
      "global-saturated",
      "in-flight",
      "too-large",
    ]);
  });
});
