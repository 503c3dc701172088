import type { Parsed } from "./fault.js";
import { isRecord } from "./isRecord.js";
import { HIGHEST_HOLD, type ReserveCurve } from "./reserveCurve.js";

/**
 * How a pool lends what its keys leave idle.
 * - `threshold`: to whoever comes first, until the pool is used to a part of its limit; from then on to nobody.
 * - `reserve`: what is held for an idle key shrinks as its window passes, and what is held for nobody is lent.
 * - `static`: to nobody.
 * - `open`: all of it, to whoever comes first.
 */
export type LendingRule = "threshold" | "reserve" | "static" | "open";

/** A lending rule with all that it needs to know. */
export type Lending =
  | { readonly rule: "threshold" | "static" | "open" }
  | { readonly rule: "reserve"; readonly curve: ReserveCurve };

/** A lending rule as people write it, and as REST shows it: a word, and an object where a reserve has a curve of its own. */
export type LendingSpec = LendingRule | { readonly rule: "reserve"; readonly curve?: ReserveCurve };

/** All rules, the default first. */
export const LENDING_RULES: readonly LendingRule[] = ["threshold", "reserve", "static", "open"];

/**
 * Parses a lending rule. Faults name the `path` they are at.
 *
 * @example
 * parseLending("reserve", "lending"); // { ok: true, value: { rule: "reserve", curve: "pace" } }
 * parseLending({ rule: "reserve", curve: { hold: 4 } }, "lending"); // held in full for three quarters of the window
 */
export function parseLending(input: unknown, path: string): Parsed<Lending> {
  const refuse = (where: string, code: string, text: string): Parsed<never> => ({
    ok: false,
    faults: [{ path: where, code, message: `${where} ${text}` }],
  });
  const rule = isRecord(input) ? input["rule"] : input;
  if (!LENDING_RULES.includes(rule as LendingRule))
    return refuse(
      isRecord(input) ? `${path}.rule` : path,
      "unknown-rule",
      `must be one of ${LENDING_RULES.join(", ")}.`,
    );
  const curve = isRecord(input) ? input["curve"] : undefined;
  if (rule !== "reserve")
    return curve === undefined
      ? { ok: true, value: Object.freeze({ rule: rule as "threshold" | "static" | "open" }) }
      : refuse(
          `${path}.curve`,
          "curve-without-reserve",
          `means something under "reserve" alone; leave it out.`,
        );
  const value = curveOf(curve);
  return value === undefined
    ? refuse(
        `${path}.curve`,
        "unknown-curve",
        `must be "pace" or { "hold": a number above 0 and up to ${String(HIGHEST_HOLD)} }.`,
      )
    : { ok: true, value: Object.freeze({ rule: "reserve", curve: value }) };
}

/** Writes a lending rule the way people do, as short as it can be said. */
export function lendingSpec(lending: Lending): LendingSpec {
  return lending.rule === "reserve" && lending.curve !== "pace" ? lending : lending.rule;
}

/** Whether two rules are one and the same. */
export function isSameLending(a: Lending, b: Lending): boolean {
  return JSON.stringify(lendingSpec(a)) === JSON.stringify(lendingSpec(b));
}

function curveOf(input: unknown): ReserveCurve | undefined {
  if (input === undefined || input === "pace") return "pace";
  if (!isRecord(input)) return undefined;
  const { hold } = input;
  if (typeof hold !== "number" || !(hold > 0) || hold > HIGHEST_HOLD) return undefined;
  return Object.freeze({ hold });
}
