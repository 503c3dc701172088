import { CATALOG } from "./catalog.js";
import type { Dimension } from "./dimension.js";
import type { Plan } from "./plan.js";

/**
 * The plan of a connection, from the highest source that has one: the override stored by hand, else the catalog's entry
 * for the provider, else the empty plan, under which nothing is enforced.
 *
 * An override with an empty list is an answer too: this account has no limits worth sharing.
 *
 * @example
 * resolvePlan({ connectionId: "team-seat", provider: "kimi" }).source; // "catalog"
 */
export function resolvePlan(question: {
  readonly connectionId: string;
  readonly provider: string;
  /** The dimensions stored for this connection, if any are. */
  readonly override?: readonly Dimension[] | undefined;
  /** What is known of providers; the built-in catalog unless a project brings its own. */
  readonly catalog?: ReadonlyMap<string, readonly Dimension[]>;
}): Plan {
  const { connectionId, provider, override, catalog = CATALOG } = question;
  if (override !== undefined)
    return Object.freeze({ connectionId, provider, source: "manual", dimensions: override });
  const known = catalog.get(provider);
  if (known !== undefined)
    return Object.freeze({ connectionId, provider, source: "catalog", dimensions: known });
  return Object.freeze({ connectionId, provider, source: "empty", dimensions: Object.freeze([]) });
}
