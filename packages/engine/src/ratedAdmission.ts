import type { RateRefused, Refused, Unavailable } from "@quota/core";
import type { Admission, QuotaEngine, QuotaRequest } from "./quotaEngine.js";

/** What a rate plan and a quota pool say together: the pool's answer, or the plan's refusal. */
export type RatedAdmission =
  | Extract<Admission, { readonly lease: unknown }>
  | { readonly decision: RatedRefusal | Unavailable; readonly lease?: undefined };

/** A refusal by either. */
export type RatedRefusal = Refused | RateRefused;

/** A quota engine with a rate plan before its pools. */
export interface RatedEngine extends Pick<QuotaEngine, "preview" | "settle" | "release"> {
  /** {@link QuotaEngine.admit}, or the plan's refusal. */
  admit(request: QuotaRequest): Promise<RatedAdmission>;
  /** {@link QuotaEngine.follow}. Without it, open streams bear no part of a percentage that rises while they are under way. */
  follow?: QuotaEngine["follow"] | undefined;
}
