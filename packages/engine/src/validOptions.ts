import { QuotaConfigError, whenStoreFailsOf, type WhenStoreFails } from "@quota/core";
import type { QuotaEngineOptions } from "./quotaEngine.js";

/** How long a lease generation is unless said otherwise. */
const DEFAULT_LEASE_MS = 600_000;

/**
 * Checks an engine's options, and fills in what they leave out.
 *
 * @throws {QuotaConfigError} naming the option, for one that is out of range.
 */
export function validOptions(
  options: Pick<QuotaEngineOptions, "whenStoreFails" | "leaseMs" | "replicas" | "saturationThreshold">,
): { readonly whenStoreFails: WhenStoreFails; readonly leaseMs: number; readonly replicas: number } {
  validThreshold(options.saturationThreshold);
  return {
    whenStoreFails: validPolicy(options.whenStoreFails),
    leaseMs: validLeaseMs(options.leaseMs),
    replicas: validReplicas(options.replicas),
  };
}

function validLeaseMs(leaseMs = DEFAULT_LEASE_MS): number {
  if (Number.isSafeInteger(leaseMs) && leaseMs >= 1000 && leaseMs <= 86_400_000) return leaseMs;
  throw new QuotaConfigError({
    code: "out-of-range",
    field: "leaseMs",
    problem: `${String(leaseMs)} is not a length of lease.`,
    remedy: "Give whole milliseconds from 1000 to 86400000.",
  });
}

function validReplicas(replicas = 1): number {
  if (Number.isSafeInteger(replicas) && replicas >= 1) return replicas;
  throw new QuotaConfigError({
    code: "out-of-range",
    field: "replicas",
    problem: `${String(replicas)} is no number of processes.`,
    remedy: "Give a whole number from 1.",
  });
}

function validPolicy(policy: unknown = "allow"): WhenStoreFails {
  const found = whenStoreFailsOf(policy);
  if (found !== undefined) return found;
  throw new QuotaConfigError({
    code: "out-of-range",
    field: "whenStoreFails",
    problem: `${JSON.stringify(policy)} is none of the policies.`,
    remedy: 'Give "allow", "deny", "last-known" or { budget }, above 0 and up to 1.',
  });
}

function validThreshold(threshold: number | undefined): void {
  if (threshold === undefined || (threshold >= 0 && threshold <= 1)) return;
  throw new QuotaConfigError({
    code: "out-of-range",
    field: "saturationThreshold",
    problem: `${String(threshold)} is not a part of the limit.`,
    remedy: "Give a number from 0 to 1.",
  });
}
