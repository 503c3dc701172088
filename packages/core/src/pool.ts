import { parseAllocations, type Allocation, type AllocationSpec } from "./allocation.js";
import type { Fault, Parsed } from "./fault.js";
import { idFault } from "./id.js";
import { isRecord } from "./isRecord.js";
import { parseLending, type Lending, type LendingSpec } from "./lending.js";
import type { EpochMs } from "./units.js";
import { whenStoreFailsOf, type WhenStoreFails } from "./whenStoreFails.js";

/** A pool as people write it. */
export interface PoolSpec {
  readonly connectionId: string;
  readonly name: string;
  /** What a key without an allocation may do (default `"borrow"`). */
  readonly unallocated?: Unallocated;
  /** The used part of the limit, 0 to 1, at which shares begin to bind; without it the engine's own. */
  readonly saturationThreshold?: number;
  /** What to do when the store fails; without it the engine's own choice. */
  readonly whenStoreFails?: WhenStoreFails;
  /** How idle shares are lent (default `"threshold"`). */
  readonly lending?: LendingSpec;
  /** A rule of which every decision says what it would have been under it. It has no effect. */
  readonly shadow?: LendingSpec;
  readonly allocations: readonly AllocationSpec[];
}

/** `borrow`: as weight 0, hard. `deny`: refused. `allow`: as burst, under the ceiling. */
export type Unallocated = "borrow" | "deny" | "allow";

/** What a pool says, parsed and frozen, before a directory has given it an identity. */
export interface PoolTerms {
  readonly connectionId: string;
  readonly name: string;
  readonly unallocated: Unallocated;
  readonly saturationThreshold: number | undefined;
  readonly whenStoreFails: WhenStoreFails | undefined;
  readonly lending: Lending;
  readonly shadow: Lending | undefined;
  /** By API key id, in the order in which they were written. */
  readonly allocations: ReadonlyMap<string, Allocation>;
}

/** One connection shared by several keys. */
export interface Pool extends PoolTerms {
  readonly id: string;
  /**
   * Names this life of the pool. A pool that is deleted and created again, even under the same id, is another
   * incarnation and starts at zero; what is still in flight settles into the old one.
   */
  readonly incarnation: string;
  /** Grows with every change; what an edit was based on. */
  readonly version: number;
  readonly createdAt: EpochMs;
}

/**
 * Parses what a pool says. All faults are listed at once; what comes back is frozen. Weights that sum to less than 100
 * leave the rest to nobody (it can only be borrowed); more than 100 is a fault.
 *
 * @example
 * parsePoolTerms({ connectionId: "kimi-demo", name: "Team", allocations: [{ apiKeyId: "alice", weight: 50 }] });
 */
export function parsePoolTerms(input: unknown): Parsed<PoolTerms> {
  if (!isRecord(input))
    return { ok: false, faults: [fault("", "not-an-object", "The pool must be an object.")] };
  const {
    connectionId,
    name,
    unallocated = "borrow",
    saturationThreshold,
    whenStoreFails,
    lending = "threshold",
    shadow,
    allocations,
  } = input;
  const faults: Fault[] = [idFault(connectionId, "connectionId"), idFault(name, "name")].filter(
    (found) => found !== undefined,
  );
  if (unallocated !== "borrow" && unallocated !== "deny" && unallocated !== "allow")
    faults.push(fault("unallocated", "unknown-word", 'unallocated must be "borrow", "deny" or "allow".'));
  if (saturationThreshold !== undefined && !isFraction(saturationThreshold))
    faults.push(
      fault("saturationThreshold", "out-of-range", "saturationThreshold must be a number from 0 to 1."),
    );
  const policy = whenStoreFailsOf(whenStoreFails);
  if (whenStoreFails !== undefined && policy === undefined)
    faults.push(
      fault(
        "whenStoreFails",
        "unknown-word",
        'whenStoreFails must be "allow", "deny", "last-known" or { "budget": … }, a part of the limit above 0 and up to 1.',
      ),
    );
  const rule = parseLending(lending, "lending");
  const shadowRule = shadow === undefined ? undefined : parseLending(shadow, "shadow");
  for (const parsedRule of [rule, shadowRule])
    if (parsedRule?.ok === false) faults.push(...parsedRule.faults);
  const parsed = parseAllocations(allocations ?? []);
  if (!parsed.ok) return { ok: false, faults: [...faults, ...parsed.faults] };
  if (rule.ok) faults.push(...unkeptPromises(rule.value, parsed.value));
  if (faults.length > 0 || !rule.ok || shadowRule?.ok === false) return { ok: false, faults };
  return {
    ok: true,
    value: Object.freeze({
      connectionId: connectionId as string,
      name: name as string,
      unallocated: unallocated as Unallocated,
      saturationThreshold: saturationThreshold as number | undefined,
      whenStoreFails: policy,
      lending: rule.value,
      shadow: shadowRule?.value,
      allocations: parsed.value,
    }),
  };
}

/** A rule that lends to whoever comes first cannot hold anything back for a key that was promised it. */
function unkeptPromises({ rule }: Lending, allocations: ReadonlyMap<string, Allocation>): readonly Fault[] {
  if (rule === "reserve" || rule === "static") return [];
  const faults: Fault[] = [];
  for (const [i, { lendingLimit }] of [...allocations.values()].entries()) {
    if (lendingLimit === undefined) continue;
    const path = `allocations[${String(i)}].${lendingLimit === 0 ? "lend" : "lendingLimit"}`;
    const text = `cannot be kept under "${rule}", which holds nothing back; choose lending "reserve", or leave it out.`;
    faults.push(fault(path, "needs-reserve", `${path} ${text}`));
  }
  return faults;
}

function isFraction(value: unknown): boolean {
  return typeof value === "number" && value >= 0 && value <= 1;
}

function fault(path: string, code: string, message: string): Fault {
  return { path, code, message };
}
