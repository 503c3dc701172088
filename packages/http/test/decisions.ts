import {
  decideFairShare,
  dimensionName,
  type Allowed,
  type Decision,
  type Deprioritized,
  type DimensionDecision,
  type DimensionQuestion,
  type LendingRule,
  type Refused,
  type Unit,
  type Use,
  type WindowName,
} from "@quota/core";

/** 2026-03-10, noon in UTC. */
export const NOON = Date.UTC(2026, 2, 10, 12, 0, 0);

/** A dimension as somebody asks about it, in grains; everything that matters to a test is named there. */
export function asked(
  unit: Unit,
  window: WindowName,
  question: Partial<Omit<DimensionQuestion, "dimension">> & {
    limit: number | "unknown";
    used: Use;
    total?: Use;
  },
): DimensionQuestion {
  const { limit, used, total = used, cost = 1, share, cap, signal } = question;
  return {
    dimension: { name: dimensionName(unit, window), unit, window, limit },
    used,
    total,
    cost,
    share,
    cap,
    signal,
  };
}

/** What core's own rule decides on a hard key (or another policy's). */
export function decided(
  dimensions: readonly DimensionQuestion[],
  now: number,
  policy: "hard" | "soft" | "burst" = "hard",
): Decision {
  return decideFairShare({ policy, dimensions }, now);
}

/**
 * Half-time of an hour that ends at half past twelve: of 100 requests bob has 30, alice 50 and carol 20, of which each has used so much. Idle, 37 are
 * still held for alice, 22 for bob and 15 for carol.
 */
export function sharing({
  bob,
  alice = 0,
  carol = 0,
  cost = 1,
  looked = true,
}: {
  readonly bob: number;
  readonly alice?: number;
  readonly carol?: number;
  readonly cost?: number;
  /** Whether the decision is made after a look at every key. */
  readonly looked?: boolean;
}): DimensionQuestion {
  const spent = [Math.min(bob, 30), Math.min(alice, 50), Math.min(carol, 20)] as const;
  const total = bob + alice + carol;
  const resets = NOON + 1_800_000;
  const others = [
    { share: 50, kept: 0, used: alice, spent: spent[1] },
    { share: 20, kept: 0, used: carol, spent: spent[2] },
  ];
  return {
    ...asked("requests", "hourly", { limit: 100, used: bob, total, cost, share: 30 }),
    resetsAt: resets,
    reserve: {
      ...{ curve: "pace", opens: NOON - 1_800_000, resets, kept: 0, sharedOut: 100 },
      spent: spent[0],
      lent: total - spent[0] - spent[1] - spent[2],
      others: looked ? others : undefined,
    },
  };
}

/** What a rule decides on bob's request. */
export function decidedUnder(
  lending: LendingRule,
  question: DimensionQuestion,
  policy: "hard" | "soft" | "burst" = "hard",
): Allowed | Deprioritized | Refused {
  return decideFairShare({ policy, lending, dimensions: [question] }, NOON);
}

/** A refusal that core's rule would give, with what a test wants to be different. */
export function refused(change: Partial<Refused> & { dimension?: Partial<DimensionDecision> } = {}): Refused {
  const { dimension, ...rest } = change;
  const reason = rest.reason ?? "fair-share";
  const refusal = reason === "not-allocated" || reason === "contended" ? undefined : reason;
  const isWithout = refusal === undefined;
  return {
    status: "refused",
    allowed: false,
    reason,
    ...(!isWithout && { decidedBy: "tokens/5h" as const }),
    dimensions: isWithout
      ? []
      : [
          {
            name: "tokens/5h",
            unit: "tokens",
            window: "5h",
            limit: 1_000_000,
            lending: "threshold",
            mode: "strict",
            globalUsedPercent: 0.8,
            cost: 1_200,
            used: 412_000,
            held: 0,
            total: 800_000,
            outside: 0,
            share: 400_000,
            cap: undefined,
            reserve: undefined,
            remaining: 0,
            available: 0,
            maxAllowed: 612_000,
            borrowing: true,
            resetsAt: undefined,
            refusal,
            ...dimension,
          },
        ],
    ...rest,
  };
}
