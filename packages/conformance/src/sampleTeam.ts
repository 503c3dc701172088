import type { AllocationSpec, PoolSpec } from "@quota/core";

/** Has a weight with six decimals and a policy. */
export const alice: AllocationSpec = { apiKeyId: "alice", weight: 33.333333, policy: "soft" };
/** Has a cap that is no sum of powers of two. */
const bob: AllocationSpec = {
  apiKeyId: "bob",
  weight: 50,
  policy: "burst",
  capValue: 0.7,
  capUnit: "usd",
  capWindow: "weekly",
};
/** A pool that is written with all that an allocation can say. */
export const team: PoolSpec = { connectionId: "kimi-demo", name: "Team", allocations: [alice, bob] };
