import { anthropicApi } from "./anthropicApi.js";
import { anthropicUnified } from "./anthropicUnified.js";
import { codex } from "./codex.js";
import type { FamilyName } from "./familyName.js";
import { openai } from "./openai.js";
import type { ProviderFamily } from "./providerFamily.js";

export function familyNamed(name: FamilyName): ProviderFamily {
  return families[name];
}

const families: Readonly<Record<FamilyName, ProviderFamily>> = {
  codex,
  "anthropic-unified": anthropicUnified,
  "anthropic-api": anthropicApi,
  openai,
  azure: openai,
  groq: openai,
  openrouter: openai,
  gemini: openai,
  kimi: openai,
  glm: openai,
  minimax: openai,
  bailian: openai,
};
