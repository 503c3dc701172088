/**
 * A text as PostgreSQL can keep it: it knows no NUL in texts, and ids may have one. Different texts stay different, and most stay as they are.
 *
 * @example
 * storedText("a\0b"); // "a\\0b"
 */
export function storedText(text: string): string {
  return text.replaceAll("\\", "\\\\").replaceAll("\0", "\\0");
}

/** The text that {@link storedText} was given. */
export function textStored(stored: string): string {
  return stored.replaceAll(/\\(.)/g, (_, escaped: string) => (escaped === "0" ? "\0" : escaped));
}
