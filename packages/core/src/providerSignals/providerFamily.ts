/** Those whose usage endpoints and refusals are read alike. */
export type ProviderFamily =
  "codex" | "claude" | "openai" | "openrouter" | "gemini" | "kimi" | "glm" | "minimax" | "bailian";

/** The words in providers' names that tell the family. */
const FAMILIES: ReadonlyMap<string, ProviderFamily> = new Map([
  ["codex", "codex"],
  ["chatgpt", "codex"],
  ["anthropic", "claude"],
  ["claude", "claude"],
  ["openrouter", "openrouter"],
  ["gemini", "gemini"],
  ["kimi", "kimi"],
  ["moonshot", "kimi"],
  ["glm", "glm"],
  ["zai", "glm"],
  ["z.ai", "glm"],
  ["zhipu", "glm"],
  ["bigmodel", "glm"],
  ["minimax", "minimax"],
  ["bailian", "bailian"],
  ["alibaba", "bailian"],
  ["aliyun", "bailian"],
  ["dashscope", "bailian"],
  ["qwen", "bailian"],
  // Last, so that "openai-codex" is Codex.
  ["openai", "openai"],
]);

/** The family of a provider, by the words of its name: `claude-code` is Claude's, `kimi-for-coding` Kimi's. */
export function familyOf(provider: string): ProviderFamily | undefined {
  const known = FAMILIES.get(provider);
  if (known !== undefined) return known;
  const name = provider.toLowerCase();
  for (const [word, family] of FAMILIES) if (hasWord(name, word)) return family;
  return undefined;
}

/** Whether a name has this word in it, not as a part of another. */
function hasWord(name: string, word: string): boolean {
  for (let at = name.indexOf(word); at >= 0; at = name.indexOf(word, at + 1))
    if (!isLetter(name.charCodeAt(at - 1)) && !isLetter(name.charCodeAt(at + word.length))) return true;
  return false;
}

function isLetter(code: number): boolean {
  return code >= 97 && code <= 122;
}
