import type { Dimension } from "@quota/core";
import type { PlanOverrides } from "./planOverrides.js";

/**
 * Keeps plans stored by hand in this process; they end with it.
 *
 * @example
 * const plans = createMemoryPlanOverrides();
 */
export function createMemoryPlanOverrides(): PlanOverrides {
  const overrides = new Map<string, readonly Dimension[]>();

  return {
    get(connectionId) {
      return overrides.get(connectionId);
    },
    async list() {
      return new Map(overrides);
    },
    async set(connectionId, dimensions) {
      overrides.set(connectionId, Object.freeze([...dimensions]));
    },
    async delete(connectionId) {
      return overrides.delete(connectionId);
    },
  };
}
