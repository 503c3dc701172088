/** What stores have done to texts. Each merges two that differ, or changes one. */
export const TEXT_MISHAPS: readonly (readonly [mishap: string, change: (text: string) => string])[] = [
  ["does not tell cases apart", (text) => text.toLowerCase()],
  ["normalises texts", (text) => text.normalize("NFC")],
  ["trims texts", (text) => text.trim()],
  ["ends a text at NUL", (text) => text.split("\0")[0]!],
  ["takes braces for a hash tag", (text) => text.replaceAll(/[{}]/g, "")],
];
