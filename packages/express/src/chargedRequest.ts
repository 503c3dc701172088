import type { SpentTokens } from "@quota/core";
import type { Lease, QuotaRequest } from "@quota/engine";
import type { RequestOutcome, Settlement } from "@quota/http";

/** What a request that was let in is charged in the end, and why. */
export interface ChargedRequest {
  readonly asked: QuotaRequest;
  readonly lease: Lease;
  readonly outcome: RequestOutcome;
  /** What becomes of its lease. */
  readonly settlement: Settlement;
  /** What it is charged for, apart as it is priced: of a released request, or where nobody knows which part was the prompt, undefined. */
  readonly tokens: SpentTokens | undefined;
}
