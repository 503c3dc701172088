import { escapeText } from "./escapeText.js";
import { plotFrame, type PlotSize, type PlotWords } from "./plotFrame.js";

/** One bar. */
export interface Bar {
  readonly name: string;
  readonly value: number;
  /** Its colour, by number. */
  readonly look: number;
}

/** A chart of bars as SVG, each with its value written on top: from 0 to `most`. */
export function barChart({
  bars,
  words,
  size,
  most,
}: {
  readonly bars: readonly Bar[];
  readonly words: Omit<PlotWords, "ends">;
  readonly size: PlotSize;
  readonly most: number;
}): string {
  const plot = plotFrame(size, { ...words, ends: ["", ""] }, most);
  const marks = bars.map(({ name, value, look }, i) => {
    const [left, right] = [plot.x((i + 0.15) / bars.length), plot.x((i + 0.85) / bars.length)];
    const [top, bottom] = [plot.y(Math.min(most, value)), plot.y(0)];
    const middle = String((left + right) / 2);
    const box = `x="${String(left)}" y="${String(top)}" width="${(right - left).toFixed(1)}" height="${(bottom - top).toFixed(1)}"`;
    // Inside of a bar that leaves no room above itself.
    const isInside = top < 22;
    const label = `<text class="${isInside ? "value inside" : "value"}" x="${middle}" y="${String(isInside ? top + 14 : top - 4)}" text-anchor="middle">${escapeText(words.write(value))}</text>`;
    return `<rect class="bar f${String(look)}" ${box}><title>${escapeText(`${name}: ${words.write(value)}`)}</title></rect>${label}`;
  });
  return plot.draw(marks.join(""));
}
