import { z } from "zod";

/** Checks shape and spelling; what a value may be is for core to say, in its own words. */
const anything = z.unknown().optional();

const allocationBody = z.strictObject({
  apiKeyId: anything,
  weight: anything,
  policy: anything,
  capValue: anything,
  capUnit: anything,
  capWindow: anything,
  lend: anything,
  lendingLimit: anything,
  borrowingLimit: anything,
});

const changeable = {
  name: anything,
  unallocated: anything,
  saturationThreshold: anything,
  whenStoreFails: anything,
  lending: anything,
  shadow: anything,
};
const allocations = z.array(allocationBody);

/** POST of a pool. An id may be asked for (an import). */
export const poolBody = z.strictObject({
  ...changeable,
  id: anything,
  connectionId: anything,
  allocations: allocations.optional(),
});

/** PATCH of a pool: what is left out stays, `null` takes an optional member away. */
export const poolChangeBody = z.strictObject({ ...changeable, allocations: allocations.optional() });

const rebalance = z.literal("proportional").optional();

/** POST of one allocation. */
export const newAllocationBody = allocationBody.extend({ rebalance });

/** DELETE of one allocation, in its query or its body. */
export const allocationRemoval = z.object({ rebalance });

/** POST of a preview of another lending rule. */
export const lendingPreviewBody = z.strictObject({ lending: anything });

/** PUT of a plan. */
export const planBody = z.strictObject({ dimensions: z.unknown().optional() });

/** POST of a preview of a plan, where it is not the body of a PUT: what DELETE would do. */
export const revertBody = z.strictObject({ revert: z.literal(true, "must be true, or left out") });
