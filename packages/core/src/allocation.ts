import type { Fault, Parsed } from "./fault.js";
import { toGrains, type Grains } from "./grains.js";
import { idFault } from "./id.js";
import { InvalidAmountError } from "./invalidAmountError.js";
import { isRecord } from "./isRecord.js";
import { UNITS, type Unit } from "./units.js";
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
  /** Whether what this key leaves idle may be lent (default true). `false`: under `reserve`, its share is held for it to the end. */
  readonly lend?: boolean;
  /** The most of its share that may be lent under `reserve`, in percent of the pool, 0 to 100. Without it, all of it. */
  readonly lendingLimit?: number;
  /** The most that this key may use beyond its share, in percent of the pool, 0 to 100, under any rule. Without it, all there is. */
  readonly borrowingLimit?: number;
}

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
  /** The most of its share that may be lent, in percent of the pool: 0 for a key that does not lend; undefined for all of it. */
  readonly lendingLimit: number | undefined;
  /** The most that it may use beyond its share, in percent of the pool; undefined for no limit. */
  readonly borrowingLimit: number | undefined;
}

/** How far over 100 the weights may sum, so that 63 equal weights that total 100.00000000000006 are accepted. */
export const WEIGHT_SUM_TOLERANCE = 1e-6;

/** How many allocations a pool may have. */
export const MAX_ALLOCATIONS = 100_000;

/** A stored policy as a decision sees it: a corrupt one counts as `hard`. */
export function policyOf(stored: unknown): Policy {
  return stored === "soft" || stored === "burst" ? stored : "hard";
}

/** Parses a pool's allocations, by API key id, in the order in which they were written. All faults are listed at once. */
export function parseAllocations(input: unknown): Parsed<ReadonlyMap<string, Allocation>> {
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
  const { apiKeyId, weight, policy = "hard", lend = true } = input;
  const faults: Fault[] = [];
  const badId = idFault(apiKeyId, `${path}.apiKeyId`);
  if (badId) faults.push(badId);
  if (typeof weight !== "number" || !(weight >= 0 && weight <= 100 + WEIGHT_SUM_TOLERANCE))
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
  if (typeof lend !== "boolean")
    faults.push(fault(`${path}.lend`, "not-a-boolean", `${path}.lend must be true or false.`));
  else if (!lend && (input["lendingLimit"] ?? 0) !== 0)
    faults.push(
      fault(
        `${path}.lendingLimit`,
        "lends-nothing",
        `${path}.lendingLimit is 0 for a key that does not lend; leave it out, or take lend: false back.`,
      ),
    );
  for (const limit of ["lendingLimit", "borrowingLimit"] as const)
    if (!isPercent(input[limit]))
      faults.push(
        fault(
          `${path}.${limit}`,
          "limit-out-of-range",
          `${path}.${limit} must be a number from 0 to 100 (percent of the pool); leave it out for no limit.`,
        ),
      );
  const cap = parseCap(input, path);
  if (!cap.ok) faults.push(...cap.faults);
  if (faults.length > 0 || !cap.ok) return { ok: false, faults };
  const value = {
    apiKeyId: apiKeyId as string,
    weight: weight as number,
    policy: policy as Policy,
    cap: cap.value,
    lendingLimit: lend === true ? (input["lendingLimit"] as number | undefined) : 0,
    borrowingLimit: input["borrowingLimit"] as number | undefined,
  };
  return { ok: true, value: Object.freeze(value) };
}

function isPercent(value: unknown): boolean {
  return value === undefined || (typeof value === "number" && value >= 0 && value <= 100);
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

function fault(path: string, code: string, message: string): Fault {
  return { path, code, message };
}
