import { wholeText } from "../ui/formats.js";
import { RateWord } from "./RateWord.js";
import type { RateDimension } from "./useRates.js";

/** What was used of a limit in this minute, what of it is kept for those below, and what is left. */
export function RateNumbers({
  usage: { limit, used, heldForChildren, left },
  isActive,
}: {
  readonly usage: RateDimension;
  readonly isActive: boolean;
}) {
  return (
    <>
      <td role="gridcell" data-label="used" className="figure">
        {used === "uncounted" ? <RateWord word={used} isActive={isActive} /> : wholeText(used)}
      </td>
      <td role="gridcell" data-label="held" className="figure">
        {limit === null ? "–" : wholeText(heldForChildren)}
      </td>
      <td role="gridcell" data-label="left" className="figure">
        {left === "unlimited" ? <RateWord word={left} isActive={isActive} /> : wholeText(left)}
      </td>
    </>
  );
}
