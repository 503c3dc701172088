/** The providers the simulator can be, by how they write what is left of an account. */
export const FAMILY_NAMES = [
  "codex",
  "anthropic-unified",
  "anthropic-api",
  "openai",
  "azure",
  "groq",
  "openrouter",
  "gemini",
  "kimi",
  "glm",
  "minimax",
  "bailian",
] as const;

export type FamilyName = (typeof FAMILY_NAMES)[number];

export function isFamilyName(word: string): word is FamilyName {
  return FAMILY_NAMES.some((name) => name === word);
}

/** What to put behind the simulator's address to meet that provider there: `/as/codex`. */
export function familyPath(family: FamilyName): string {
  return `${familyPrefix}${family}`;
}

export const familyPrefix = "/as/";
