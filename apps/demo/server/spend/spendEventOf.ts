import type { NanoUsd, SpendEvent, SpendOutcome, SpentTokens } from "@quota/core";
import type { RequestSpend } from "@quota/engine";

/** A request as money sees it. */
export interface SpendingRequest extends RequestSpend {
  /** The most that it may cost: what budgets ask for. */
  estimate: RequestSpend["estimate"];
  /** When it was seen. */
  readonly startedAt: number;
  readonly connection: { readonly id: string; readonly provider: string };
  readonly model: string | undefined;
}

/** The longest name of a model that is kept: it is the client's to choose. */
const LONGEST_NAME = 256;

/** The event of a request that was charged. */
export function spendEventOf(
  { requestId, subjects, connection, model }: SpendingRequest,
  charged: {
    readonly cost: NanoUsd | "unpriced";
    /** When it was let in: the period of budgets that it belongs to. */
    readonly startedAt: number;
    readonly tokens: SpentTokens | undefined;
    readonly outcome: SpendOutcome;
  },
  now: number,
): SpendEvent {
  return {
    requestId,
    subjects,
    cost: charged.cost,
    startedAt: charged.startedAt,
    endedAt: Math.max(charged.startedAt, now),
    provider: connection.provider,
    connectionId: connection.id,
    ...(model !== undefined && { model: keptName(model) }),
    ...(charged.tokens !== undefined && { tokens: charged.tokens }),
    outcome: charged.outcome,
  };
}

/** Well-formed, also where it is cut: databases keep a lone surrogate each in a way of its own. */
function keptName(name: string): string {
  return name.slice(0, LONGEST_NAME).replaceAll(/\p{Surrogate}/gu, "\ufffd");
}
