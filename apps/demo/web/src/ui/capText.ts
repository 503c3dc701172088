import type { Unit, WindowName } from "@quota/core";
import { amountText, windowText } from "./formats.js";

/** A cap in words: `at most 500 requests per hour`. */
export function capText({
  value,
  unit,
  window,
}: {
  readonly value: number;
  readonly unit: Unit;
  readonly window: WindowName | "every";
}): string {
  const amount = amountText(unit, value);
  return window === "every" ? `${amount}, every window` : `${amount} per ${windowText(window)}`;
}
