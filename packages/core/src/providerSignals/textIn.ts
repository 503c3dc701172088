/** A name in an answer: a string that is neither empty nor endless. */
export function textIn(value: unknown): string | undefined {
  if (typeof value !== "string") return undefined;
  const text = value.trim();
  return text === "" || text.length > 200 ? undefined : text;
}
