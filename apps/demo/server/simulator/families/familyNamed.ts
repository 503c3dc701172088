import { anthropicApi } from "./anthropicApi.js";
import { anthropicUnified } from "./anthropicUnified.js";
import { azure } from "./azure.js";
import { bailian } from "./bailian.js";
import { codex } from "./codex.js";
import type { FamilyName } from "./familyName.js";
import { gemini } from "./gemini.js";
import { glm } from "./glm.js";
import { groq } from "./groq.js";
import { kimi } from "./kimi.js";
import { minimax } from "./minimax.js";
import { openai } from "./openai.js";
import { openrouter } from "./openrouter.js";
import type { ProviderFamily } from "./providerFamily.js";

export function familyNamed(name: FamilyName): ProviderFamily {
  return families[name];
}

const families: Readonly<Record<FamilyName, ProviderFamily>> = {
  codex,
  "anthropic-unified": anthropicUnified,
  "anthropic-api": anthropicApi,
  openai,
  azure,
  groq,
  openrouter,
  gemini,
  kimi,
  glm,
  minimax,
  bailian,
};
