import type { DimensionSpec } from "@quota/core";
import { amountText, windowText } from "../ui/formats.js";

/** What a dimension grants: `1,500 requests`. */
export function limitText({ unit, limit }: Pick<DimensionSpec, "unit" | "limit">): string {
  return limit === "unknown" ? "limit unknown, only counted" : amountText(unit, limit);
}

/** How long its window is: `5 hours`. A month is one of the calendar only where the window is laid on one. */
export function lengthText({ window, anchor }: Pick<DimensionSpec, "window" | "anchor">): string {
  return window === "monthly" && typeof anchor === "object" ? "calendar month" : windowText(window);
}

/** When its window begins and ends, in words. */
export function courseText({ anchor, slots = 1, edge }: DimensionSpec): string {
  if (anchor === "epoch") return "fixed, on multiples of its length since 1970 (UTC)";
  if (anchor === "first-use") return "fixed, from the first use on";
  if (anchor !== undefined) return `fixed, on the calendar of ${anchor.calendar}`;
  const cut = slots > 1 ? `, in ${String(slots)} slots` : "";
  const whole = edge === "full" ? ", its oldest slot counted whole" : "";
  return `rolling until the provider says when it resets${cut}${whole}`;
}
