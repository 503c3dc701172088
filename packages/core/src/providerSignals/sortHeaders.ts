/** Header fields: a `Headers` object, or anything that shows its fields as one does; or a record. Names in any case. */
export type HeadersLike =
  | { forEach(callback: (value: string, name: string) => void): void }
  | Readonly<Record<string, string | readonly string[] | undefined>>;

/** Header values under their names in lower case, by the family that reads them. Absent: no field of that family. */
export interface SortedHeaders {
  codex?: Map<string, string>;
}

/** Puts each header field that some family reads before that family. One pass; other fields are not kept. */
export function sortHeaders(headers: HeadersLike | undefined): SortedHeaders {
  const sorted: SortedHeaders = {};
  if (typeof headers !== "object") return sorted;
  const keep = (value: unknown, name: unknown): void => {
    if (typeof name !== "string") return;
    const text = firstOf(value);
    if (text === undefined) return;
    const lower = name.toLowerCase();
    if (lower.startsWith("x-codex-")) (sorted.codex ??= new Map()).set(lower, text);
  };
  if (typeof headers.forEach === "function") headers.forEach(keep);
  else for (const [name, value] of Object.entries(headers)) keep(value, name);
  return sorted;
}

function firstOf(value: unknown): string | undefined {
  const first: unknown = Array.isArray(value) ? value[0] : value;
  return typeof first === "string" ? first.trim() : undefined;
}
