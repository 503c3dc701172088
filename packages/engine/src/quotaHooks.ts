import type { Amounts, Decision } from "@quota/core";
import type { Lease } from "./lease.js";
import type { QuotaCaller, QuotaEngine } from "./quotaEngine.js";

/** The two hooks of a gateway that wants nothing else: ask before the upstream call, report after the answer. */
export interface QuotaHooks {
  /** After authentication and policy checks, before the upstream call. Without a lease, answer 429 (503 where the decision is `unavailable`). */
  enforceQuotaShare(
    request: QuotaCaller & { readonly estimatedCost?: Amounts | undefined },
  ): Promise<{ readonly decision: Decision; readonly lease?: Lease | undefined }>;
  /** After the answer. With a lease it settles; without one it only adds. */
  recordConsumption(
    consumption:
      | { readonly lease: Lease; readonly actualCost?: Amounts | undefined }
      | (QuotaCaller & { readonly lease?: undefined; readonly actualCost: Amounts }),
  ): Promise<void>;
}

/**
 * The thin pair over an engine.
 *
 * @example
 * const { enforceQuotaShare, recordConsumption } = quotaHooks(engine);
 * const { decision, lease } = await enforceQuotaShare({ apiKeyId, connectionId, provider, estimatedCost: { tokens: 900 } });
 * if (lease) await recordConsumption({ lease, actualCost: { tokens: 1240 } });
 */
export function quotaHooks(engine: Pick<QuotaEngine, "admit" | "settle" | "consume">): QuotaHooks {
  return {
    enforceQuotaShare: ({ estimatedCost, ...caller }) => engine.admit({ ...caller, estimate: estimatedCost }),
    recordConsumption(consumption) {
      if (consumption.lease !== undefined) return engine.settle(consumption.lease, consumption.actualCost);
      const { apiKeyId, connectionId, provider, actualCost } = consumption;
      return engine.consume({ apiKeyId, connectionId, provider, amounts: actualCost });
    },
  };
}
