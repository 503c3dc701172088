import type { AllocationJson, PoolJson } from "@quota/http";
import fc from "fast-check";

/** A pool as the REST API shows it, of alice and bob. */
export function pool(changed: Partial<PoolJson> = {}): PoolJson {
  return {
    id: "p1",
    connectionId: "kimi-demo",
    name: "Team",
    unallocated: "borrow",
    lending: "threshold",
    version: 1,
    createdAt: 0,
    allocations: [
      { apiKeyId: "alice", weight: 50, policy: "hard" },
      { apiKeyId: "bob", weight: 30, policy: "soft" },
    ],
    ...changed,
  };
}

const name = fc.oneof(
  fc.constantFrom("alice", "bob", "carol", "__proto__", "constructor", "<img onerror>"),
  fc.string({ minLength: 1, maxLength: 20, unit: "binary" }),
);
const percent = fc.integer({ min: 0, max: 100 });
const cap = fc.oneof(
  fc.constant({}),
  fc.record(
    {
      capValue: fc.integer({ min: 1, max: 1_000_000 }),
      capUnit: fc.constantFrom("percent" as const, "requests" as const, "tokens" as const, "usd" as const),
      capWindow: fc.constantFrom("5h" as const, "hourly" as const, "daily" as const, "weekly" as const),
    },
    { requiredKeys: ["capValue", "capUnit"] },
  ),
);
const limits = fc.oneof(
  fc.constant({}),
  fc.constant({ lend: false }),
  fc.record({ lendingLimit: percent }),
  fc.record({ borrowingLimit: percent }),
);
const policy = fc.constantFrom("hard" as const, "soft" as const, "burst" as const);

/** Any pool that the gateway may answer with. */
export const anyPool: fc.Arbitrary<PoolJson> = fc
  .record({
    name,
    unallocated: fc.constantFrom("borrow" as const, "deny" as const, "allow" as const),
    threshold: fc.option(fc.double({ min: 0, max: 1, noNaN: true }), { nil: undefined }),
    keys: fc.uniqueArray(name, { maxLength: 5 }),
    weights: fc.array(fc.double({ min: 0, max: 20, noNaN: true }), { minLength: 5, maxLength: 5 }),
    policies: fc.array(policy, { minLength: 5, maxLength: 5 }),
    caps: fc.array(cap, { minLength: 5, maxLength: 5 }),
    limits: fc.array(limits, { minLength: 5, maxLength: 5 }),
    version: fc.integer({ min: 1, max: 99 }),
  })
  .map(({ threshold, keys, weights, policies, caps, limits: all, ...rest }) =>
    pool({
      ...rest,
      // Under it every limit of an allocation can be kept.
      lending: "reserve",
      ...(threshold !== undefined && { saturationThreshold: threshold }),
      allocations: keys.map((apiKeyId, i): AllocationJson => ({
        apiKeyId,
        // −0 and 0 are one weight.
        weight: weights[i]! + 0,
        policy: policies[i]!,
        ...caps[i],
        ...all[i],
      })),
    }),
  );
