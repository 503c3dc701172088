import type { Dimension } from "@quota/core";
import type { Awaitable } from "./awaitable.js";

/** Plans stored by hand, per connection; what is not here comes from the catalog. */
export interface PlanOverrides {
  /** The dimensions stored for a connection, or undefined. On the path of every request: keep it at hand, and answer at once if you can. */
  get(connectionId: string): Awaitable<readonly Dimension[] | undefined>;
  /** Every stored override, by connection id. */
  list(): Promise<ReadonlyMap<string, readonly Dimension[]>>;
  set(connectionId: string, dimensions: readonly Dimension[]): Promise<void>;
  /** Takes an override away; whether there was one. */
  delete(connectionId: string): Promise<boolean>;
}
