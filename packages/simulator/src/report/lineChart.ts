import { escapeText } from "./escapeText.js";
import { plotFrame, type PlotSize, type PlotWords } from "./plotFrame.js";
import { roundMost } from "./roundMost.js";

/** One line: its values lie evenly from the left to the right. */
export interface Line {
  readonly name: string;
  readonly values: readonly number[];
  /** Its colour and dashes, by number; `"quiet"`: one of many that need not be told apart. */
  readonly look: number | "quiet";
}

/** A chart of lines as SVG: from 0 up to `most`, or past the largest value where that is left out. */
export function lineChart({
  lines,
  words,
  size,
  most = roundMost(Math.max(...lines.flatMap(({ values }) => values))),
}: {
  readonly lines: readonly Line[];
  readonly words: PlotWords;
  readonly size: PlotSize;
  readonly most?: number;
}): string {
  const plot = plotFrame(size, words, most);
  const marks = lines.map(({ name, values, look }) => {
    const steps = Math.max(1, values.length - 1);
    const points = values.map(
      (value, i) => `${String(plot.x(i / steps))} ${String(plot.y(Math.min(most, value)))}`,
    );
    const shape = look === "quiet" ? "line quiet" : `line s${String(look)}`;
    return `<path class="${shape}" d="M${points.join("L")}"><title>${escapeText(name)}</title></path>`;
  });
  return plot.draw(marks.join(""));
}
