/** Who reads a header field; `codexOther` and `unifiedOther` are fields of limits that are not an account's, and have names of their own. */
export type HeaderFamily =
  "codex" | "codexOther" | "unified" | "unifiedOther" | "apiKey" | "rateLimit" | "waits" | "nobody";

const product = (prefix: string, middles: readonly string[], ends: readonly string[]): readonly string[] =>
  middles.flatMap((middle) => ends.map((end) => prefix + middle + end));

/** The fields that answers commonly have. The others of a family are told by how they begin. */
const NAMES: Readonly<Record<HeaderFamily, readonly string[]>> = {
  codex: product(
    "x-codex-",
    ["primary", "secondary"],
    ["-used-percent", "-window-minutes", "-reset-at", "-reset-after-seconds"],
  ),
  codexOther: [],
  unified: [
    ...product("anthropic-ratelimit-unified-", ["5h", "7d"], ["-utilization", "-reset", "-status"]),
    ...product("anthropic-ratelimit-unified-", ["status", "reset", "representative-claim"], [""]),
  ],
  unifiedOther: [],
  apiKey: product(
    "anthropic-ratelimit-",
    ["requests", "tokens", "input-tokens", "output-tokens"],
    ["-limit", "-remaining", "-reset"],
  ),
  rateLimit: product("x-ratelimit-", ["limit", "remaining", "reset"], ["", "-requests", "-tokens"]),
  waits: ["retry-after", "retry-after-ms", "date"],
  nobody: [
    ...product("x-codex-", ["plan-type", "active-limit", "primary-over-secondary-limit-percent"], [""]),
    ...product("x-codex-credits-", ["has-credits", "unlimited", "balance"], [""]),
    ...product("anthropic-ratelimit-unified-", ["fallback", "fallback-percentage"], [""]),
  ],
};

const FAMILIES: ReadonlyMap<string, HeaderFamily> = new Map(
  Object.entries(NAMES).flatMap(([family, names]) =>
    names.map((name) => [name, family as HeaderFamily] as const),
  ),
);

const LONGEST_NAME = 120;

/** The family of a field that answers commonly have, if this is its name in lower case. */
export function commonFamily(name: string): HeaderFamily | undefined {
  return FAMILIES.get(name);
}

/** The family that reads a field of this name in lower case. */
export function headerFamily(name: string): HeaderFamily | undefined {
  const common = commonFamily(name);
  if (common !== undefined || name.length > LONGEST_NAME) return common;
  if (name.startsWith("x-codex-")) return "codexOther";
  if (name.startsWith("x-ratelimit-")) return "rateLimit";
  return name.startsWith("anthropic-ratelimit-unified-") ? "unifiedOther" : undefined;
}
