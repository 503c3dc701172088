import { describe, expect, it } from "vitest";
import { SAME_RESET_MS, sightWindow } from "@quota/core";

const HOUR = 3_600_000;
const OPENS = Date.UTC(2026, 0, 5);
const RESETS = OPENS + HOUR;

/** What a reading says that comes a minute after the window opened. */
function sighted({
  known,
  seen,
  resets,
}: {
  readonly known: number;
  readonly seen: number;
  readonly resets: number;
}) {
  return sightWindow({
    known: { opens: OPENS, resets: RESETS, seen: known },
    lengthMs: HOUR,
    full: 100,
    sighting: { seen, resetsAt: resets, receivedAt: OPENS + 60_000 },
  });
}

describe("the end that a reading names", () => {
  it.each([
    ["stays where it was agreed on, though readings differ by seconds", 4, 5, 2000, "same", 0],
    ["stays, too, where it comes earlier", 4, 5, -SAME_RESET_MS, "same", 0],
    ["is another where they differ by more", 4, 5, SAME_RESET_MS + 1, "moved", SAME_RESET_MS + 1],
    [
      "moves by seconds while nothing has been seen, since the window may not have begun",
      0,
      0,
      2000,
      "moved",
      2000,
    ],
    ["moves by seconds with the first use that is seen", 0, 3, 2000, "moved", 2000],
    ["stays where nothing has been seen, and nothing is new", 0, 0, 0, "same", 0],
    ["begins anew with a fullness that has fallen", 50, 3, 0, "new", 0],
    ["begins anew, too, with half of the fullness: the account has another plan", 100, 50, 0, "new", 0],
    [
      "stays with a little less, which another machine of the provider's said earlier",
      60,
      58,
      2000,
      "same",
      0,
    ],
    ["stays with less than the refusal that called it full", 100, 97, 0, "same", 0],
    [
      "is a new window's with a fullness that has fallen",
      60,
      50,
      2 * SAME_RESET_MS,
      "new",
      2 * SAME_RESET_MS,
    ],
  ] as const)("%s", (_, known, seen, later, kind, moved) => {
    expect(sighted({ known, seen, resets: RESETS + later })).toEqual({
      kind,
      opens: OPENS + moved,
      resets: RESETS + moved,
    });
  });
});
