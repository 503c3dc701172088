import type { Findings } from "./findings.js";

/** Header fields: a `Headers` object, or anything that shows its fields as one does; or a record. Names in any case. */
export type HeadersLike =
  | { forEach(callback: (value: string, name: string) => void): void }
  | Readonly<Record<string, string | readonly string[] | undefined>>;

/** Header values under their names in lower case, by the family that reads them. Absent: no field of that family. */
export interface SortedHeaders {
  codex?: Map<string, string>;
  unified?: Map<string, string>;
  apiKey?: Map<string, string>;
  rateLimit?: Map<string, string>;
  /** `retry-after`, `retry-after-ms`, `date`. */
  waits?: Map<string, string>;
}

/**
 * Puts each header field that some family reads before that family, in one pass; other fields are not kept. A field that is there
 * several times, as a list or under names in several cases, counts once: the first time.
 */
export function sortHeaders(headers: unknown, findings: Findings): SortedHeaders {
  const sorted: SortedHeaders = {};
  if (typeof headers !== "object" || headers === null) return sorted;
  const keep = (value: unknown, name: unknown): void => {
    if (typeof name === "string" && name.length <= LONGEST_NAME) sort(sorted, { name, value }, findings);
  };
  if ("forEach" in headers && typeof headers.forEach === "function")
    (headers as { forEach(callback: typeof keep): void }).forEach(keep);
  else
    for (const name of Object.keys(headers)) keep((headers as Readonly<Record<string, unknown>>)[name], name);
  return sorted;
}

const LONGEST_NAME = 120;

function sort(
  sorted: SortedHeaders,
  field: { readonly name: string; readonly value: unknown },
  findings: Findings,
): void {
  // Most fields of an answer are nobody's: their first letter says so.
  const initial = field.name.charCodeAt(0) | 0x20;
  if (initial !== 0x61 && initial !== 0x64 && initial !== 0x72 && initial !== 0x78) return;
  const name = field.name.toLowerCase();
  if (name.startsWith("x-codex-")) put((sorted.codex ??= new Map()), name, { field, findings });
  else if (name.startsWith("x-ratelimit-")) put((sorted.rateLimit ??= new Map()), name, { field, findings });
  else if (name.startsWith("anthropic-ratelimit-"))
    if (name.startsWith("unified-", 20)) put((sorted.unified ??= new Map()), name, { field, findings });
    else put((sorted.apiKey ??= new Map()), name, { field, findings });
  else if (name === "date" || name === "retry-after" || name === "retry-after-ms") {
    const text = textOf(field.value);
    if (text !== undefined) (sorted.waits ??= new Map()).set(name, text.trim());
  }
}

function put(
  family: Map<string, string>,
  name: string,
  { field, findings }: { readonly field: { readonly value: unknown }; readonly findings: Findings },
): void {
  const said = textOf(field.value);
  if (said === undefined) return;
  // A `Headers` object joins what was sent several times; no value of these families has a comma of its own.
  const values = said.includes(",") && said.length <= LONGEST_LIST ? said.split(",") : undefined;
  const text = (values?.[0] ?? said).trim();
  const known = family.get(name);
  if (known === undefined) family.set(name, text);
  const read = known ?? text;
  if (text !== read || values?.some((value) => value.trim() !== read) === true)
    findings.note(`${name} has several values: the first one is read.`);
}

const LONGEST_LIST = 1000;

/** The text of a field, its values joined as a `Headers` object joins them. */
function textOf(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  if (!Array.isArray(value)) return undefined;
  const texts = value.filter((each) => typeof each === "string");
  return texts.length === 0 ? undefined : texts.join(",");
}
