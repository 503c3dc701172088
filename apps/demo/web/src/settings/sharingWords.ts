import { durationText, percentText } from "../ui/formats.js";
import type { SharingName } from "./useSharing.js";

/** How a person reads and types one of the numbers. */
export interface SharingWords {
  readonly name: SharingName;
  readonly label: string;
  readonly about: string;
  readonly typed: (value: number) => string;
  /** What was typed, for the gateway to judge; what is no number goes there as it is. */
  readonly value: (typed: string) => unknown;
  readonly shown: (value: number) => string;
}

export const SHARING_WORDS: readonly SharingWords[] = [
  {
    name: "saturationThreshold",
    label: "Threshold, in percent of a limit",
    about:
      "From this part of a limit on a pool is strict: a key that has used up its share waits. A pool’s own threshold goes before this one.",
    // Twelve digits: 33.3 % is 0.333, whatever a division of doubles makes of it.
    typed: (value) => String(Number((value * 100).toPrecision(12))),
    value: (typed) => numberOr(typed, (percent) => Number((percent / 100).toPrecision(12))),
    shown: percentText,
  },
  {
    name: "softDeprioritizeFactor",
    label: "Factor for soft keys",
    about:
      "Routing multiplies the score of an account by it, where a soft key is over its share. This gateway does not route yet, so it has no effect.",
    typed: String,
    value: (typed) => numberOr(typed, (factor) => factor),
    shown: (value) => factors.format(value),
  },
  {
    name: "consumptionRetentionDays",
    label: "Days that use is kept",
    about: "Use that has left its window is dropped after this; it is looked at every hour.",
    typed: String,
    value: (typed) => numberOr(typed, (days) => days),
    shown: (value) => durationText(value * 86_400_000),
  },
];

function numberOr(typed: string, meant: (number: number) => number): unknown {
  const number = typed.trim() === "" ? Number.NaN : Number(typed);
  return Number.isFinite(number) ? meant(number) : typed;
}

const factors = new Intl.NumberFormat(undefined, { maximumFractionDigits: 4 });
