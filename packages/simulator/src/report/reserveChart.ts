import { parseLending, reservedPart } from "@quota/core";
import type { TriedRule } from "../rule.js";
import { lineChart } from "./lineChart.js";
import type { PlotSize } from "./plotFrame.js";

const STEPS = 200;

/** What each rule holds of an idle key's share as the window goes by; undefined where none holds anything. */
export function reserveChart(
  rules: readonly TriedRule[],
  { title, size }: { readonly title: string; readonly size: PlotSize },
): string | undefined {
  const lines = rules.flatMap(({ name, lending }, look) => {
    const parsed = parseLending(lending, "lending");
    if (!parsed.ok || parsed.value.rule !== "reserve") return [];
    const { curve } = parsed.value;
    const values = Array.from({ length: STEPS + 1 }, (_, i) => reservedPart(curve, i / STEPS));
    return [{ name, values, look }];
  });
  if (lines.length === 0) return undefined;
  const write = (part: number): string => `${String(Math.round(part * 100))} %`;
  return lineChart({ lines, words: { title, write, ends: ["opens", "ends"] }, size, most: 1 });
}
