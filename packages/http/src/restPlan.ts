import { dimensionSpec, type DimensionSpec, type Plan } from "@quota/core";

/** A plan as the REST API shows it. */
export interface PlanJson extends Omit<Plan, "dimensions"> {
  readonly dimensions: readonly DimensionSpec[];
}

/** A plan for the REST API: dimensions as people write them, amounts in units. */
export function planJson({ connectionId, provider, source, dimensions }: Plan): PlanJson {
  return { connectionId, provider, source, dimensions: dimensions.map(dimensionSpec) };
}
