/** What is wrong with a form, at the field that it is wrong with. */
export interface FieldFaults {
  /** By name of a member of the pool: `name`, `connectionId`, `allocations` (their sum) … */
  readonly fields: ReadonlyMap<string, string>;
  readonly rows: ReadonlyMap<string, RowFaults>;
  /** What has no field here. */
  readonly elsewhere: readonly string[];
}

export interface RowFaults {
  readonly weight?: string;
  readonly cap?: string;
  /** Whether and how much it lends. */
  readonly lending?: string;
  readonly borrowing?: string;
  readonly other?: string;
}

/** Puts faults with paths such as `allocations[2].weight` where people look for them, in the words of the form. */
export function fieldFaults(
  faults: readonly { readonly path: string; readonly message: string }[],
  /** The keys of `allocations` as they were sent, in order. */
  apiKeyIds: readonly string[],
): FieldFaults {
  const fields = new Map<string, string>();
  const rows = new Map<string, RowFaults>();
  const elsewhere: string[] = [];
  for (const { path, message } of faults) {
    const [, index, member = ""] = /^allocations\[(\d+)\](?:\.(\w+))?$/u.exec(path) ?? [];
    const apiKeyId = index === undefined ? undefined : apiKeyIds[Number(index)];
    if (apiKeyId !== undefined) {
      const place = ROW_PLACES.get(member) ?? "other";
      const said = rows.get(apiKeyId)?.[place];
      const words = inWords(message, path, member);
      rows.set(apiKeyId, { ...rows.get(apiKeyId), [place]: said === undefined ? words : `${said} ${words}` });
    } else if (FIELDS.has(path)) fields.set(path, inWords(message, path, path));
    else elsewhere.push(message);
  }
  return { fields, rows, elsewhere };
}

const ROW_PLACES: ReadonlyMap<string, keyof RowFaults> = new Map([
  ["weight", "weight"],
  ["policy", "other"],
  ["capValue", "cap"],
  ["capUnit", "cap"],
  ["capWindow", "cap"],
  ["lend", "lending"],
  ["lendingLimit", "lending"],
  ["borrowingLimit", "borrowing"],
]);

const FIELDS = new Set(["connectionId", "name", "unallocated", "saturationThreshold", "allocations"]);

/** What the form calls what the API calls otherwise. */
const NAMES: ReadonlyMap<string, string> = new Map([
  ["connectionId", "The connection"],
  ["name", "The name"],
  ["weight", "The weight"],
  ["policy", "The policy"],
  ["capValue", "The cap"],
  ["capUnit", "The cap’s unit"],
  ["capWindow", "The cap’s window"],
  ["lend", "That it does not lend"],
  ["lendingLimit", "What it lends at most"],
  ["borrowingLimit", "What it borrows at most"],
]);

function inWords(message: string, path: string, member: string): string {
  if (path === "saturationThreshold") return "Give a number from 0 to 100, or leave it empty.";
  const name = NAMES.get(member);
  return name !== undefined && message.startsWith(path) ? name + message.slice(path.length) : message;
}
