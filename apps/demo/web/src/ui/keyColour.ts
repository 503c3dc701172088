/** How a key is drawn, everywhere and always: a colour, and from the eighth key on a pattern as well. */
export interface KeyColour {
  /** For `background`: a reference to a colour of base.css. */
  readonly colour: string;
  readonly pattern: "plain" | "hatched" | "dotted";
}

/** Of a key's ordinal, which it keeps for life. Somebody without one (a key that was deleted) is grey. */
export function keyColour(ordinal: number | undefined): KeyColour {
  if (ordinal === undefined) return { colour: "var(--unallocated)", pattern: "plain" };
  const turn = Math.floor(ordinal / COLOURS) % PATTERNS.length;
  return { colour: `var(--key-${String((ordinal % COLOURS) + 1)})`, pattern: PATTERNS[turn]! };
}

const COLOURS = 7;
const PATTERNS = ["plain", "hatched", "dotted"] as const;
