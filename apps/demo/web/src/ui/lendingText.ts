import { LAST_PART, type LendingRule, type LendingSpec, type ReserveCurve } from "@quota/core";
import { numberText, percentText } from "./formats.js";

/** A lending rule in a few words: `reserve, at pace`. */
export function lendingText(lending: LendingSpec): string {
  const rule = lendingRule(lending);
  return rule === "reserve" ? `reserve, ${curveText(lendingCurve(lending))}` : LENDING_WORDS[rule].name;
}

export function lendingRule(lending: LendingSpec): LendingRule {
  return typeof lending === "string" ? lending : lending.rule;
}

/** The curve of a reserve. */
export function lendingCurve(lending: LendingSpec): ReserveCurve {
  return typeof lending === "string" ? "pace" : (lending.curve ?? "pace");
}

/** What each rule does with what a key leaves idle. */
export const LENDING_WORDS: Readonly<Record<LendingRule, { readonly name: string; readonly about: string }>> =
  {
    threshold: {
      name: "threshold",
      about: "Idle shares are lent until the pool is used to its threshold. From then on nobody borrows.",
    },
    reserve: {
      name: "reserve",
      about:
        "What is reserved for an idle key shrinks as its window passes. Whatever is reserved for nobody is spare, and lent to whoever comes first.",
    },
    static: { name: "static", about: "Nothing is lent: every key has its own share and no more." },
    open: {
      name: "open",
      about: "First come, first served, up to the limit of the account. Shares hold nobody back.",
    },
  };

function curveText(curve: ReserveCurve): string {
  return curve === "pace" ? "at pace" : `hold ${numberText(curve.hold)}`;
}

/** What a curve does to an idle key's reserve. */
export function curveAbout(curve: ReserveCurve): string {
  if (curve === "pace")
    return `By half-time a quarter of an idle share may be lent, and from ${percentText(LAST_PART)} on all of it.`;
  const { hold } = curve;
  const fullFor = 1 - 1 / hold;
  return hold >= 1 && fullFor > 0
    ? `An idle share is reserved in full for ${percentText(fullFor)} of the window; then it falls in a straight line.`
    : `${percentText(Math.min(1, hold))} of an idle share is reserved at first; it falls in a straight line.`;
}
