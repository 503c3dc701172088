import type { EpochMs } from "@quota/core";
import type { PlanOverrides, PoolDirectory } from "@quota/engine";
import type { PlanBook } from "./planBook.js";
import type { QuotaAdminOptions } from "./quotaAdmin.js";

/** What the admin routes work with. */
export interface AdminParts {
  readonly engine: QuotaAdminOptions["engine"];
  readonly pools: PoolDirectory;
  readonly plans: PlanOverrides;
  readonly planBook: PlanBook;
  readonly clock: { now(): EpochMs };
}
