import type { Fault, Parsed } from "./fault.js";
import { toGrains, type Grains } from "./grains.js";
import { idFault } from "./id.js";
import { InvalidAmountError } from "./invalidAmountError.js";
import { UNITS, type EpochMs, type Unit } from "./units.js";
import { WINDOWS, type WindowName } from "./window.js";

/** What happens in strict mode to a key that has used up its share: refused, passed over by routing, or let through. */
export type Policy = "hard" | "soft" | "burst";

/** What an allocation looks like to people and in the REST API: amounts in units. */
export interface AllocationSpec {
  readonly apiKeyId: string;
  /** Percent of the pool, 0 to 100. */
  readonly weight: number;
  readonly policy?: Policy;
  /** An absolute cap in units of `capUnit`, whatever the mode and policy. Both or neither. */
  readonly capValue?: number;
  readonly capUnit?: Unit;
  /** The window the cap holds in; without it, every window of that unit. */
  readonly capWindow?: WindowName;
}

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
  readonly allocations: readonly AllocationSpec[];
}

/** `borrow`: as weight 0, hard. `deny`: refused. `allow`: as burst, under the ceiling. */
export type Unallocated = "borrow" | "deny" | "allow";

/** `allow`: the request passes, unjudged. `deny`: it is answered 503. */
export type WhenStoreFails = "allow" | "deny";

/** An absolute cap of one key. */
export interface Cap {
  readonly unit: Unit;
  readonly window: WindowName | "every";
  readonly value: Grains;
}

/** A parsed allocation. */
export interface Allocation {
  readonly apiKeyId: string;
  readonly weight: number;
  readonly policy: Policy;
  readonly cap: Cap | undefined;
}

/** What a pool says, parsed and frozen, before a directory has given it an identity. */
export interface PoolTerms {
  readonly connectionId: string;
  readonly name: string;
  readonly unallocated: Unallocated;
  readonly saturationThreshold: number | undefined;
  readonly whenStoreFails: WhenStoreFails | undefined;
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

/** How far over 100 the weights may sum, so that 63 equal weights that total 100.00000000000006 are accepted. */
export const WEIGHT_SUM_TOLERANCE = 1e-6;

/** How many allocations a pool may have. */
export const MAX_ALLOCATIONS = 100_000;

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
  if (whenStoreFails !== undefined && whenStoreFails !== "allow" && whenStoreFails !== "deny")
    faults.push(fault("whenStoreFails", "unknown-word", 'whenStoreFails must be "allow" or "deny".'));
  const parsed = parseAllocations(allocations ?? []);
  if (!parsed.ok) return { ok: false, faults: [...faults, ...parsed.faults] };
  if (faults.length > 0) return { ok: false, faults };
  return {
    ok: true,
    value: Object.freeze({
      connectionId: connectionId as string,
      name: name as string,
      unallocated: unallocated as Unallocated,
      saturationThreshold: saturationThreshold as number | undefined,
      whenStoreFails: whenStoreFails as WhenStoreFails | undefined,
      allocations: parsed.value,
    }),
  };
}

/** A stored policy as a decision sees it: a corrupt one counts as `hard`. */
export function policyOf(stored: unknown): Policy {
  return stored === "soft" || stored === "burst" ? stored : "hard";
}

function parseAllocations(input: unknown): Parsed<ReadonlyMap<string, Allocation>> {
  if (!Array.isArray(input))
    return {
      ok: false,
      faults: [fault("allocations", "not-a-list", "allocations must be a list; write [] for none.")],
    };
  if (input.length > MAX_ALLOCATIONS)
    return {
      ok: false,
      faults: [
        fault(
          "allocations",
          "too-many",
          `allocations may hold at most ${String(MAX_ALLOCATIONS)} keys; split the pool.`,
        ),
      ],
    };
  const faults: Fault[] = [];
  const allocations = new Map<string, Allocation>();
  let sum = 0;
  input.forEach((spec: unknown, i) => {
    const path = `allocations[${String(i)}]`;
    const parsed = parseAllocation(spec, path);
    if (!parsed.ok) {
      faults.push(...parsed.faults);
      return;
    }
    if (allocations.has(parsed.value.apiKeyId))
      faults.push(
        fault(
          `${path}.apiKeyId`,
          "duplicate-key",
          `${path}.apiKeyId repeats a key of this pool; keep one allocation per key.`,
        ),
      );
    sum += parsed.value.weight;
    allocations.set(parsed.value.apiKeyId, parsed.value);
  });
  if (sum > 100 + WEIGHT_SUM_TOLERANCE)
    faults.push(
      fault(
        "allocations",
        "weights-over-100",
        `The weights sum to ${String(Number(sum.toFixed(6)))}; lower them to 100 or less.`,
      ),
    );
  return faults.length > 0 ? { ok: false, faults } : { ok: true, value: allocations };
}

function parseAllocation(input: unknown, path: string): Parsed<Allocation> {
  if (!isRecord(input))
    return {
      ok: false,
      faults: [fault(path, "not-an-object", `${path} must be an object such as { apiKeyId, weight }.`)],
    };
  const { apiKeyId, weight, policy = "hard" } = input;
  const faults: Fault[] = [];
  const badId = idFault(apiKeyId, `${path}.apiKeyId`);
  if (badId) faults.push(badId);
  if (typeof weight !== "number" || !(weight >= 0 && weight <= 100))
    faults.push(
      fault(
        `${path}.weight`,
        "weight-out-of-range",
        `${path}.weight must be a number from 0 to 100 (percent of the pool).`,
      ),
    );
  if (policy !== "hard" && policy !== "soft" && policy !== "burst")
    faults.push(
      fault(`${path}.policy`, "unknown-policy", `${path}.policy must be "hard", "soft" or "burst".`),
    );
  const cap = parseCap(input, path);
  if (!cap.ok) faults.push(...cap.faults);
  if (faults.length > 0 || !cap.ok) return { ok: false, faults };
  const value = {
    apiKeyId: apiKeyId as string,
    weight: weight as number,
    policy: policy as Policy,
    cap: cap.value,
  };
  return { ok: true, value: Object.freeze(value) };
}

function parseCap(input: Readonly<Record<string, unknown>>, path: string): Parsed<Cap | undefined> {
  const { capValue, capUnit, capWindow } = input;
  if (capValue === undefined && capUnit === undefined) {
    if (capWindow === undefined) return { ok: true, value: undefined };
    return {
      ok: false,
      faults: [
        fault(
          `${path}.capWindow`,
          "cap-incomplete",
          `${path}.capWindow needs capValue and capUnit beside it.`,
        ),
      ],
    };
  }
  const faults: Fault[] = [];
  if (capValue === undefined)
    faults.push(
      fault(
        `${path}.capValue`,
        "cap-incomplete",
        `${path}.capValue is missing; give capValue and capUnit, or neither.`,
      ),
    );
  if (capUnit === undefined)
    faults.push(
      fault(
        `${path}.capUnit`,
        "cap-incomplete",
        `${path}.capUnit is missing; give capValue and capUnit, or neither.`,
      ),
    );
  else if (!UNITS.includes(capUnit as Unit))
    faults.push(
      fault(`${path}.capUnit`, "unknown-unit", `${path}.capUnit must be one of ${UNITS.join(", ")}.`),
    );
  if (capWindow !== undefined && !WINDOWS.includes(capWindow as WindowName))
    faults.push(
      fault(
        `${path}.capWindow`,
        "unknown-window",
        `${path}.capWindow must be one of ${WINDOWS.join(", ")}; leave it out for every window of the unit.`,
      ),
    );
  if (faults.length > 0) return { ok: false, faults };
  try {
    const value = toGrains(capUnit as Unit, capValue, `${path}.capValue`);
    if (value === 0)
      return {
        ok: false,
        faults: [
          fault(
            `${path}.capValue`,
            "cap-zero",
            `${path}.capValue must be above 0; disable the key to stop it altogether.`,
          ),
        ],
      };
    return {
      ok: true,
      value: Object.freeze({
        unit: capUnit as Unit,
        window: (capWindow as WindowName | undefined) ?? "every",
        value,
      }),
    };
  } catch (error) {
    if (error instanceof InvalidAmountError)
      return {
        ok: false,
        faults: [{ path: `${path}.capValue`, code: "cap-invalid", message: error.message }],
      };
    throw error;
  }
}

function isRecord(input: unknown): input is Readonly<Record<string, unknown>> {
  return typeof input === "object" && input !== null && !Array.isArray(input);
}

function isFraction(value: unknown): boolean {
  return typeof value === "number" && value >= 0 && value <= 1;
}

function fault(path: string, code: string, message: string): Fault {
  return { path, code, message };
}
