import { escapeText } from "./escapeText.js";

/** A chart's measures, in its own pixels. */
export interface PlotSize {
  readonly width: number;
  readonly height: number;
}

/** What a chart says beside its marks. */
export interface PlotWords {
  /** What is seen, in a sentence: whoever cannot see the chart is told this. */
  readonly title: string;
  /** How a value on the upright axis is written. */
  readonly write: (value: number) => string;
  /** What stands below the ends of the other axis. */
  readonly ends: readonly [string, string];
}

/** Where marks go. */
export interface Plot {
  readonly x: (part: number) => number;
  readonly y: (value: number) => number;
  /** The whole chart, with these marks in it. */
  draw(marks: string): string;
}

const LEFT = 46;
const RIGHT = 8;
const TOP = 8;
const BOTTOM = 20;
const LINES = 4;

/** An empty chart: axes with their lines and words. `x` takes parts of the width from 0 to 1, `y` values from 0 to `most`. */
export function plotFrame({ width, height }: PlotSize, words: PlotWords, most: number): Plot {
  const x = (part: number): number => round(LEFT + part * (width - LEFT - RIGHT));
  const y = (value: number): number => round(TOP + (1 - value / most) * (height - TOP - BOTTOM));
  const lines = Array.from({ length: LINES + 1 }, (_, i) => {
    const value = (i / LINES) * most;
    const at = String(y(value));
    const from = `M${String(x(0))} ${at}H${String(x(1))}`;
    return `<path class="grid" d="${from}"/><text class="tick" x="${String(LEFT - 6)}" y="${at}" dy="0.32em" text-anchor="end">${escapeText(words.write(value))}</text>`;
  });
  const [first, last] = words.ends.map(escapeText);
  const below = String(height - 5);
  const ends = `<text class="tick" x="${String(x(0))}" y="${below}">${first!}</text><text class="tick" x="${String(x(1))}" y="${below}" text-anchor="end">${last!}</text>`;
  return {
    x,
    y,
    draw: (marks) =>
      `<svg viewBox="0 0 ${String(width)} ${String(height)}" role="img" aria-label="${escapeText(words.title)}">${lines.join("")}${ends}${marks}</svg>`,
  };
}

/** Hundredths of a pixel cannot be seen. */
function round(pixels: number): number {
  return Math.round(pixels * 10) / 10;
}
