import { QuotaConfigError, whenStoreFailsOf, type WhenStoreFails } from "@quota/core";
import type { QuotaEngineOptions } from "./quotaEngine.js";

/** An engine's options with nothing left open. */
export interface ValidOptions {
  readonly whenStoreFails: WhenStoreFails;
  readonly leaseMs: number;
  readonly replicas: number;
  /** The threshold in force now; undefined: the rule's own default. @throws {QuotaConfigError} where the option answers what is none. */
  readonly thresholdNow: () => number | undefined;
}

/** How long a lease generation is unless said otherwise. */
const DEFAULT_LEASE_MS = 600_000;

/**
 * Checks an engine's options, and fills in what they leave out.
 *
 * @throws {QuotaConfigError} naming the option, for one that is out of range.
 */
export function validOptions(
  options: Pick<QuotaEngineOptions, "whenStoreFails" | "leaseMs" | "replicas" | "saturationThreshold">,
): ValidOptions {
  return {
    thresholdNow: validThreshold(options.saturationThreshold),
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

function validThreshold(option: QuotaEngineOptions["saturationThreshold"]): () => number | undefined {
  if (typeof option !== "function") {
    const threshold = option === undefined ? undefined : checkedThreshold(option);
    return () => threshold;
  }
  const current = (): number => checkedThreshold(option());
  // What is no threshold already is better found here than by the first request.
  current();
  return current;
}

function checkedThreshold(threshold: number): number {
  if (threshold >= 0 && threshold <= 1) return threshold;
  throw new QuotaConfigError({
    code: "out-of-range",
    field: "saturationThreshold",
    problem: `${String(threshold)} is not a part of the limit.`,
    remedy: "Give a number from 0 to 1.",
  });
}
