import { parseAnchor, type Anchor } from "./anchor.js";
import type { Fault, Parsed } from "./fault.js";
import { fromGrains, toGrains, type Grains } from "./grains.js";
import { InvalidAmountError } from "./invalidAmountError.js";
import { isRecord } from "./isRecord.js";
import { UNITS, type Unit } from "./units.js";
import { WINDOW_MS, WINDOWS, type WindowName, type WindowShape } from "./window.js";

/** A dimension as people write it and as the REST API carries it: amounts in units. */
export interface DimensionSpec {
  readonly unit: Unit;
  readonly window: WindowName;
  /** A positive number of units, or `"unknown"`: counted and shown, but not limited. */
  readonly limit: number | "unknown";
  /** Cuts the rolling window into this many slots (default 1: the two-bucket counter). */
  readonly slots?: number;
  /** `"full"` counts the oldest slot whole, so that no true window ever holds more than the limit (default `"weighted"`). */
  readonly edge?: "weighted" | "full";
  /**
   * Makes the window fixed, one bucket that starts where the {@link Anchor} says, instead of a rolling one. Left out, it is the
   * provider's own as soon as a reading tells when that resets, and rolling until then.
   */
  readonly anchor?: "epoch" | "first-use" | { readonly calendar: string };
}

/** A dimension's name, unique within a plan: `tokens/5h`. */
export type DimensionName = `${Unit}/${WindowName}`;

/** A parsed dimension: amounts in grains, window as weighted buckets. */
export interface Dimension {
  readonly name: DimensionName;
  readonly unit: Unit;
  readonly window: WindowName;
  readonly limit: Grains | "unknown";
  readonly shape: WindowShape;
  /** Where the window starts; undefined: it rolls until the provider says when it resets. */
  readonly anchor: Anchor | undefined;
  /** The rolling window that was laid on the epoch for the pool's lending rule; undefined where the window is as it was planned. */
  readonly rolledAs?: WindowShape | undefined;
}

/** The most slots a window may be cut in; every slot is one more number to read per request. */
export const MAX_SLOTS = 60;

/**
 * Parses a plan's dimensions: a list of {@link DimensionSpec}. All faults are listed at once; what comes back is frozen.
 *
 * @example
 * parseDimensions([{ unit: "requests", window: "hourly", limit: 1500 }]);
 */
export function parseDimensions(input: unknown): Parsed<readonly Dimension[]> {
  if (!Array.isArray(input))
    return {
      ok: false,
      faults: [fault("dimensions", "not-a-list", "must be a list; write [] for a plan without limits.")],
    };
  const faults: Fault[] = [];
  const dimensions = new Map<DimensionName, Dimension>();
  input.forEach((spec: unknown, i) => {
    const parsed = parseDimension(spec, `dimensions[${String(i)}]`);
    if (!parsed.ok) faults.push(...parsed.faults);
    else if (dimensions.has(parsed.value.name))
      faults.push(
        fault(
          `dimensions[${String(i)}]`,
          "duplicate-dimension",
          `repeats ${parsed.value.name}; keep one dimension per unit and window.`,
        ),
      );
    else dimensions.set(parsed.value.name, parsed.value);
  });
  return faults.length > 0
    ? { ok: false, faults }
    : { ok: true, value: Object.freeze([...dimensions.values()]) };
}

/** A dimension that is counted but not limited, in the default window shape. */
export function countedDimension(unit: Unit, window: WindowName): Dimension {
  return Object.freeze({
    name: dimensionName(unit, window),
    unit,
    window,
    limit: "unknown",
    shape: Object.freeze({ slotMs: WINDOW_MS[window], slots: 1, edge: "weighted" }),
    anchor: undefined,
  });
}

/** `tokens/5h` and its like. */
export function dimensionName(unit: Unit, window: WindowName): DimensionName {
  return `${unit}/${window}`;
}

/** Writes a parsed dimension the way people do, amounts in units. */
export function dimensionSpec(dimension: Dimension): DimensionSpec {
  const { unit, window, limit, shape, anchor } = dimension;
  return {
    unit,
    window,
    limit: limit === "unknown" ? limit : fromGrains(unit, limit),
    ...(shape.slots > 1 && { slots: shape.slots }),
    ...(shape.edge === "full" && { edge: "full" as const }),
    ...(anchor !== undefined && {
      anchor: typeof anchor === "string" ? anchor : { calendar: anchor.calendar },
    }),
  };
}

/** Orders dimensions by unit, then by length of window, whatever order a plan lists them in. */
export function compareDimensions(a: Dimension, b: Dimension): number {
  return (
    UNITS.indexOf(a.unit) - UNITS.indexOf(b.unit) || WINDOWS.indexOf(a.window) - WINDOWS.indexOf(b.window)
  );
}

function parseDimension(input: unknown, path: string): Parsed<Dimension> {
  if (!isRecord(input))
    return {
      ok: false,
      faults: [fault(path, "not-an-object", "must be an object such as { unit, window, limit }.")],
    };
  const { unit, window, limit, slots, edge, anchor } = input;
  const faults: Fault[] = [];
  const add = (member: string, code: string, text: string): void =>
    void faults.push(fault(`${path}.${member}`, code, text));

  if (!UNITS.includes(unit as Unit)) add("unit", "unknown-unit", `must be one of ${UNITS.join(", ")}.`);
  if (!WINDOWS.includes(window as WindowName))
    add("window", "unknown-window", `must be one of ${WINDOWS.join(", ")}.`);
  if (edge !== undefined && edge !== "weighted" && edge !== "full")
    add("edge", "unknown-edge", 'must be "weighted" or "full".');
  const parsedAnchor = parseAnchor(anchor, { window, path: `${path}.anchor` });
  if (!parsedAnchor.ok) faults.push(...parsedAnchor.faults);
  else if (anchor !== undefined && (slots !== undefined || edge !== undefined))
    add("anchor", "anchor-with-slots", "makes a fixed window of one bucket; leave out slots and edge.");
  const slotCount = slots ?? 1;
  if (typeof slotCount !== "number" || !Number.isInteger(slotCount) || slotCount < 1 || slotCount > MAX_SLOTS)
    add("slots", "slots-out-of-range", `must be a whole number from 1 to ${String(MAX_SLOTS)}.`);
  else if (WINDOWS.includes(window as WindowName) && WINDOW_MS[window as WindowName] % slotCount !== 0)
    add(
      "slots",
      "slots-uneven",
      `must divide the window's ${String(WINDOW_MS[window as WindowName])} ms evenly; try 4, 6, 10, 12, 20 or 60.`,
    );

  const parsedLimit = UNITS.includes(unit as Unit)
    ? parseLimit(unit as Unit, limit, `${path}.limit`)
    : undefined;
  if (typeof parsedLimit === "object") faults.push(parsedLimit);
  if (faults.length > 0 || parsedLimit === undefined || typeof parsedLimit === "object" || !parsedAnchor.ok)
    return { ok: false, faults };

  const name = dimensionName(unit as Unit, window as WindowName);
  const shape: WindowShape = Object.freeze({
    slotMs: WINDOW_MS[window as WindowName] / (slotCount as number),
    slots: slotCount as number,
    edge: parsedAnchor.value !== undefined ? "fixed" : ((edge as "full" | undefined) ?? "weighted"),
  });
  return {
    ok: true,
    value: Object.freeze({
      name,
      unit: unit as Unit,
      window: window as WindowName,
      limit: parsedLimit,
      shape,
      anchor: parsedAnchor.value,
    }),
  };
}

function parseLimit(unit: Unit, limit: unknown, path: string): Grains | "unknown" | Fault {
  if (limit === "unknown") return limit;
  if (limit === 0)
    return fault(path, "limit-zero", 'must be above 0; write "unknown" for a limit that is not known.');
  try {
    const inGrains = toGrains(unit, limit, path);
    return inGrains > 0
      ? inGrains
      : fault(path, "limit-zero", `is below the smallest amount of ${unit} that is counted; raise it.`);
  } catch (error) {
    if (error instanceof InvalidAmountError)
      return { path, code: "limit-invalid", message: `${error.message} Or write "unknown".` };
    throw error;
  }
}

function fault(path: string, code: string, text: string): Fault {
  return { path, code, message: `${path} ${text}` };
}
