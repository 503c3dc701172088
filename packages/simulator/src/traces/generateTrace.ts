import { QuotaConfigError } from "@quota/core";
import { draws, type Draws } from "../draws.js";
import type { Trace, TraceSlot } from "./trace.js";

/**
 * What keys are like.
 * - `on-off`: each is there for hours, and away for hours or days.
 * - `diurnal`: each has its day and its night, and its own noon.
 * - `heavy-tailed`: a few send most of it, in bursts of bursts.
 * - `mixed`: of each some, as public traces of language model services show them.
 */
export type TraceShape = "mixed" | "on-off" | "diurnal" | "heavy-tailed";

/** All shapes, the default first. */
export const TRACE_SHAPES: readonly TraceShape[] = ["mixed", "on-off", "diurnal", "heavy-tailed"];

/** What to generate. */
export interface GeneratedTrace {
  readonly shape: TraceShape;
  readonly clients: number;
  readonly days: number;
  readonly seed: string;
}

/** Slots a day. */
const DAY = 144;

/** What makes a client what it is. */
interface Nature {
  /** Requests per second while it is there, in the mean. */
  readonly rate: number;
  /** How much of it comes and goes with the hour: 0 to 1. */
  readonly swing: number;
  /** How restless it is from slot to slot. */
  readonly mood: number;
  /** How long it stays and is away, in slots; undefined: it always stays. */
  readonly stays: { readonly on: number; readonly off: number } | undefined;
  /** How bursty it is: what its gaps' coefficient of variation is around, and how far it strays. */
  readonly bursts: { readonly around: number; readonly sigma: number };
}

/**
 * Makes up a trace of our own, which looks like those of language model services without being any: rates that differ a hundredfold between
 * clients, by day more than by night, some there only now and then, gaps with heavy tails.
 *
 * @throws {QuotaConfigError} for a shape that is none, and for a number of clients or days that is not one.
 * @example
 * const trace = generateTrace({ shape: "mixed", clients: 20, days: 14, seed: "1" });
 */
export function generateTrace({ shape, clients, days, seed }: GeneratedTrace): Trace {
  if (!TRACE_SHAPES.includes(shape))
    throw outOfRange("shape", `"${shape}" is no shape.`, `Take one of ${TRACE_SHAPES.join(", ")}.`);
  if (!(Number.isSafeInteger(clients) && clients >= 1 && clients <= 10_000))
    throw outOfRange("clients", "must be a whole number from 1 to 10000.", "Leave it out for 20.");
  if (!(days > 0 && days <= 3650))
    throw outOfRange("days", "must be a number above 0, up to 3650.", "Leave it out for 14.");
  const slots = Math.max(1, Math.round(days * DAY));
  const trace = Array.from({ length: clients }, (_, i) => {
    const chance = draws(`${seed} ${shape} ${String(i)}`);
    const kind = shape === "mixed" ? TRACE_SHAPES[1 + (i % 3)]! : shape;
    return slotsOf(`client-${String(i + 1)}`, { slots, nature: natureOf(kind, chance) }, chance);
  }).flat();
  if (trace.length > 0) return trace;
  // All are away the whole time, which may be where that is short: the first one is not.
  return [{ client: "client-1", slot: 0, requestsPerSecond: 1, gapCv: 1 }];
}

function natureOf(kind: TraceShape, { uniform, lognormal }: Draws): Nature {
  const rate = lognormal({ median: 6, sigma: 0.9 });
  switch (kind) {
    case "on-off":
      return {
        rate,
        swing: 0.2 * uniform(),
        mood: 0.2,
        stays: { on: 6 + 60 * uniform(), off: 12 + 240 * uniform() },
        bursts: { around: 2, sigma: 0.7 },
      };
    case "heavy-tailed":
      return {
        // Pareto's tail, cut off where one client would be all there is.
        rate: 2 * Math.min(100, 1 / (1 - uniform())),
        swing: 0.3 * uniform(),
        mood: 0.8,
        stays: uniform() < 0.3 ? { on: 40, off: 40 } : undefined,
        bursts: { around: 2.5, sigma: 1 },
      };
    default:
      return {
        rate,
        swing: 0.5 + 0.5 * uniform(),
        mood: 0.2,
        stays: undefined,
        bursts: { around: 1, sigma: 0.2 },
      };
  }
}

function slotsOf(
  client: string,
  { slots, nature }: { readonly slots: number; readonly nature: Nature },
  { uniform, normal, lognormal }: Draws,
): Trace {
  const { rate, swing, mood, stays, bursts } = nature;
  const noon = uniform() * DAY;
  const shaped: TraceSlot[] = [];
  let isThere = stays === undefined || uniform() < stays.on / (stays.on + stays.off);
  let left = stays === undefined ? Infinity : uniform() * spell(stays, isThere);
  // A mood lasts for hours: its deviation is always 1.
  let temper = normal();
  for (let slot = 0; slot < slots; slot += 1, left -= 1) {
    if (stays !== undefined && left <= 0) {
      isThere = !isThere;
      left = spell(stays, isThere);
    }
    temper = 0.97 * temper + Math.sqrt(1 - 0.97 ** 2) * normal();
    const hour = 1 + swing * Math.cos(((slot - noon) / DAY) * 2 * Math.PI);
    const requestsPerSecond = rate * hour * Math.exp(mood * temper - (mood * mood) / 2);
    const gapCv = lognormal({ median: bursts.around, sigma: bursts.sigma });
    if (isThere && requestsPerSecond > 0) shaped.push({ client, slot, requestsPerSecond, gapCv });
  }
  return shaped;

  /** Pareto again: most stays are short, some are very long. */
  function spell({ on, off }: { readonly on: number; readonly off: number }, isOn: boolean): number {
    const mean = isOn ? on : off;
    return Math.max(1, (mean / 3) * Math.min(50, (1 - uniform()) ** (-1 / 1.5)));
  }
}

function outOfRange(field: string, problem: string, remedy: string): QuotaConfigError {
  return new QuotaConfigError({ code: "out-of-range", field, problem, remedy });
}
