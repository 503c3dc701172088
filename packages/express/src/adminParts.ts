import type { EpochMs } from "@quota/core";
import type { PlanOverrides, PoolDirectory, QuotaEngine } from "@quota/engine";
import type { PlanBook } from "./planBook.js";

/** What the admin routes work with. */
export interface AdminParts {
  readonly engine: Pick<QuotaEngine, "usage" | "preview">;
  readonly pools: PoolDirectory;
  readonly plans: PlanOverrides;
  readonly planBook: PlanBook;
  readonly clock: { now(): EpochMs };
}
