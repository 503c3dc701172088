import type { Dimension } from "./dimension.js";

/** The dimensions that a provider account grants, and where they are known from. */
export interface Plan {
  readonly connectionId: string;
  readonly provider: string;
  /** `manual`: stored for this connection. `catalog`: known for this provider. `empty`: nothing is known, so nothing is enforced. */
  readonly source: "manual" | "catalog" | "empty";
  readonly dimensions: readonly Dimension[];
}
