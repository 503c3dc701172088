const ESCAPES: ReadonlyMap<string, string> = new Map([
  ["&", "&amp;"],
  ["<", "&lt;"],
  [">", "&gt;"],
  ['"', "&quot;"],
  ["'", "&#39;"],
]);

/** Text as HTML and SVG show it: a client's name is never markup. */
export function escapeText(text: string): string {
  return text.replace(/[&<>"']/gu, (character) => ESCAPES.get(character)!);
}
