/** One member of a list: a string with its parameters, in order. */
export interface StructuredItem {
  readonly name: string;
  readonly parameters: Readonly<Record<string, number | string>>;
}

/**
 * Serialises a List of Strings with Integer and String parameters (RFC 9651 §4.1), which is all that `RateLimit` and `RateLimit-Policy`
 * are made of. Integers are cut off at the 15 digits that the format allows. Names are ours, so that they are printable ASCII is
 * the caller's promise.
 *
 * @example
 * structuredList([{ name: "5h-tokens", parameters: { q: 400000, w: 18000 } }]); // '"5h-tokens";q=400000;w=18000'
 */
export function structuredList(items: readonly StructuredItem[]): string {
  let list = "";
  for (const { name, parameters } of items) {
    list += (list === "" ? "" : ", ") + string(name);
    for (const key in parameters) {
      const value = parameters[key]!;
      list += `;${key}=${typeof value === "number" ? integer(value) : string(value)}`;
    }
  }
  return list;
}

function integer(value: number): string {
  return String(Math.min(Math.max(0, Math.floor(value)), 999_999_999_999_999));
}

function string(text: string): string {
  return `"${/["\\]/.test(text) ? text.replace(/["\\]/g, "\\$&") : text}"`;
}
