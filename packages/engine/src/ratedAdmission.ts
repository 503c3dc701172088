import type { BudgetRefused, RateRefused, Refused, Unavailable } from "@quota/core";
import type { Admission, QuotaEngine, QuotaRequest } from "./quotaEngine.js";

/** What a rate plan, budgets and a quota pool say together: the pool's answer, or the refusal of what stands before it. */
export type RatedAdmission =
  | Extract<Admission, { readonly lease: unknown }>
  | { readonly decision: RatedRefusal | Unavailable; readonly lease?: undefined };

/** A refusal by any of them. */
export type RatedRefusal = Refused | RateRefused | BudgetRefused;

/** A quota engine with a rate plan, budgets or both before its pools. */
export interface RatedEngine extends Pick<QuotaEngine, "preview" | "settle" | "release"> {
  /** {@link QuotaEngine.admit}, or the refusal of what stands before the pools. */
  admit(request: QuotaRequest): Promise<RatedAdmission>;
  /** {@link QuotaEngine.follow}. Without it, open streams bear no part of a percentage that rises while they are under way. */
  follow?: QuotaEngine["follow"] | undefined;
}
