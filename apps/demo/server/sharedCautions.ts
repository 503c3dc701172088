import type { StoreDriver } from "./quotaStore/storeSettings.js";
import type { Settings } from "./readSettings.js";
import type { SharedDatabase } from "./storage.js";

/** What to tell at the start of a gateway whose database others may share: what they would not share, as it is set up. */
export function sharedCautions({
  shared,
  settings,
  driver,
}: {
  readonly shared: SharedDatabase | undefined;
  readonly settings: Pick<Settings, "adminToken">;
  readonly driver: StoreDriver;
}): readonly string[] {
  if (shared === undefined) return [];
  const cautions: string[] = [];
  if (driver === "sqlite")
    cautions.push(
      `Use is counted in this machine's DATA_DIR, though the database ${shared.place} may be shared: a gateway with another DATA_DIR grants every limit once more. With more than one, set QUOTA_STORE_DRIVER=redis and QUOTA_STORE_REDIS_URL in each.`,
    );
  if (settings.adminToken === undefined)
    cautions.push(
      `This gateway has an admin token of its own, in DATA_DIR, though the database ${shared.place} may be shared: who signs in here is nobody to the others. With more than one, set the same QUOTA_ADMIN_TOKEN in each.`,
    );
  return cautions;
}
