import {
  decideFairShare,
  dimensionName,
  type Decision,
  type DimensionDecision,
  type DimensionQuestion,
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
