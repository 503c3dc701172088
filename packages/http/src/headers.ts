/**
 * HTTP headers as anybody may hand them over: Node's `req.headers`, undici's answer, a `Headers` object or a Map. Names in any
 * case; a name that is `__proto__` is a name like any other.
 */
export type HeadersInput =
  | Iterable<readonly [string, string | readonly string[]]>
  | Readonly<Record<string, string | readonly string[] | undefined>>;

/** Headers by lower-case name: what `setHeaders` of a Node response and undici's `request` take as they are. */
export type HeaderMap = Map<string, string | string[]>;

/** The headers by lower-case name, without HTTP/2's `:path` and its like. A name that comes twice keeps both its values. */
export function headerMap(headers: HeadersInput): HeaderMap {
  const map: HeaderMap = new Map();
  const pairs = isIterable(headers) ? headers : Object.entries(headers);
  for (const [name, value] of pairs) {
    if (value === undefined || name.startsWith(":")) continue;
    const key = name.toLowerCase();
    const before = map.get(key);
    if (before === undefined && typeof value === "string") map.set(key, value);
    else {
      const values = [before ?? [], value].flat(2);
      map.set(key, values.length === 1 ? values[0]! : values);
    }
  }
  return map;
}

/** The names of the headers, in the case they have. */
export function headerNames(headers: HeadersInput): readonly string[] {
  return isIterable(headers) ? Array.from(headers, ([name]) => name) : Object.keys(headers);
}

/** The header's value, its several values joined as HTTP joins them. */
export function headerText(headers: HeaderMap, name: string): string | undefined {
  const value = headers.get(name);
  return typeof value === "string" ? value : value?.join(", ");
}

function isIterable(
  headers: HeadersInput,
): headers is Iterable<readonly [string, string | readonly string[]]> {
  return Symbol.iterator in headers;
}
