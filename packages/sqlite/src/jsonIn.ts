/** What a text of a file says; text that is no JSON says itself, which whoever parses the value refuses. */
export function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
