import type { Findings } from "./findings.js";
import { commonFamily, headerFamily, type HeaderFamily } from "./headerFamily.js";

/** Header fields: a `Headers` object, or anything that shows its fields as one does; or a record. Names in any case. */
export type HeadersLike =
  | { forEach(callback: (value: string, name: string) => void): void }
  | Readonly<Record<string, string | readonly string[] | undefined>>;

/** Header values under their names in lower case, by the family that reads them. Absent: no field of that family. */
export type SortedHeaders = Partial<Record<HeaderFamily, Map<string, string>>>;

/**
 * Puts each header field that some family reads before that family, in one pass; other fields are not kept. A field that is there
 * several times, as a list or under names in several cases, counts once: the first time.
 */
export function sortHeaders(headers: unknown, findings: Findings): SortedHeaders {
  const sorted: SortedHeaders = {};
  if (typeof headers !== "object" || headers === null) return sorted;
  const { forEach } = headers as { readonly forEach?: unknown };
  if (typeof forEach === "function")
    (headers as { forEach(callback: (value: unknown, name: unknown) => void): void }).forEach(
      (value, name) => {
        if (typeof name === "string") sort(sorted, name, value, findings);
      },
    );
  else {
    const names = Object.keys(headers);
    // All at once: looking up each by its name costs as much as the rest of this.
    const values: readonly unknown[] = Object.values(headers);
    for (let i = 0; i < names.length; i += 1) sort(sorted, names[i]!, values[i], findings);
  }
  return sorted;
}

function sort(sorted: SortedHeaders, name: string, value: unknown, findings: Findings): void {
  // Most fields of an answer are nobody's: their first letter says so. (A, D, R, X)
  const initial = name.charCodeAt(0) | 0x20;
  if (initial !== 0x78 && initial !== 0x61 && initial !== 0x72 && initial !== 0x64) return;
  // Servers write names in lower case, and making sure of that costs more than all the rest.
  const common = commonFamily(name);
  const lower = common === undefined ? name.toLowerCase() : name;
  const family = common ?? headerFamily(lower);
  if (family === undefined || family === "nobody") return;
  const text = textOf(value);
  if (text !== undefined) put((sorted[family] ??= new Map()), lower, text, findings);
}

function put(fields: Map<string, string>, name: string, said: string, findings: Findings): void {
  const known = fields.get(name);
  // A `Headers` object joins what was sent several times.
  if (known === undefined && !said.includes(",")) {
    fields.set(name, isTrimmed(said) ? said : said.trim());
    return;
  }
  const values = valuesIn(said, name);
  const read = known ?? values[0]!.trim();
  fields.set(name, read);
  if (values.some((value) => value.trim() !== read))
    findings.note(`${name} has several values: the first one is read.`);
}

/** Most values are, and making sure of it costs less than trimming. */
function isTrimmed(text: string): boolean {
  return isVisible(text.charCodeAt(0)) && isVisible(text.charCodeAt(text.length - 1));
}

function isVisible(code: number): boolean {
  return code > 0x20 && code < 0x7f;
}

const LONGEST_LIST = 1000;

/** The values of a list. A date has a comma of its own, after the name of its day; no other value of these families has. */
function valuesIn(text: string, name: string): readonly string[] {
  const isWhole =
    text.length > LONGEST_LIST ||
    name === "date" ||
    (name === "retry-after" && !isDigit(text.trimStart().charCodeAt(0)));
  return isWhole ? [text] : text.split(",");
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}

/** The text of a field, its values joined as a `Headers` object joins them. */
function textOf(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  if (!Array.isArray(value)) return undefined;
  const texts = value.filter((each) => typeof each === "string");
  return texts.length === 0 ? undefined : texts.join(",");
}
