import { isMet, judged, type Figure, type Measurement, type Target } from "./measurement.js";
import type { Result } from "./saveResult.js";

/** Results as text: a line of numbers for each measurement, and below it what each side guarantees. */
export function tableOf(results: readonly Result[]): string {
  const lines = results.flatMap(({ bench, measurements, notes }) => [
    "",
    bench,
    ...measurements.flatMap(linesOf),
    ...notes.map((note) => `    ${note}`),
  ]);
  return [line(["work", "ours", "peer", "ratio", "target", ""]), ...lines].join("\n");
}

function linesOf(measurement: Measurement): readonly string[] {
  const { work, unit, ours, peer, target } = measurement;
  const met = isMet(measurement);
  const cells = [
    work,
    spelled(ours.value, unit),
    peer === undefined ? "–" : spelled(peer.value, unit),
    comparison(measurement),
    target === undefined ? "stated" : bound(target, unit),
    met === undefined ? "" : met ? "met" : "NOT MET",
  ];
  return [line(cells), guarantee("ours", ours), ...(peer === undefined ? [] : [guarantee("peer", peer)])];
}

const WIDTHS = [58, 18, 18, 12, 14, 8] as const;

function line(cells: readonly string[]): string {
  return cells
    .map((cell, i) => (i === 0 ? cell.padEnd(WIDTHS[0]) : cell.padStart(WIDTHS[i] ?? 0)))
    .join(" ")
    .trimEnd();
}

function guarantee(side: string, figure: Figure): string {
  return `    ${side}: ${figure.name}: ${figure.guarantee}`;
}

function comparison(measurement: Measurement): string {
  const { target, unit } = measurement;
  const value = judged(measurement);
  if (value === undefined) return "–";
  return target?.of === "difference" || target?.of === "value"
    ? `${target.of === "difference" && value >= 0 ? "+" : ""}${spelled(value, unit)}`
    : `${value.toFixed(2)} ×`;
}

function bound({ of, atMost, atLeast }: Target, unit: Measurement["unit"]): string {
  const written = (value: number): string => (of === "ratio" ? `${value} ×` : spelled(value, unit));
  if (atMost !== undefined && atMost === atLeast) return `= ${written(atMost)}`;
  return atMost === undefined ? `≥ ${written(atLeast ?? -Infinity)}` : `≤ ${written(atMost)}`;
}

function spelled(value: number, unit: Measurement["unit"]): string {
  switch (unit) {
    case "per second":
      return `${Math.round(value).toLocaleString("en")} /s`;
    case "bytes":
      return `${Math.round(value)} B`;
    case "granted":
      return value.toLocaleString("en");
    default:
      return `${value.toFixed(Math.abs(value) < 10 ? 3 : 1)} ${unit}`;
  }
}
