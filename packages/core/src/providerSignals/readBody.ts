import { isRecord, type Members } from "../isRecord.js";
import { bailianUnit, readBailianUsage } from "./bailianUsage.js";
import { readClaudeUsage } from "./claudeUsage.js";
import { readCodexRefusal } from "./codexRefusal.js";
import { readCodexUsage } from "./codexUsage.js";
import type { Findings } from "./findings.js";
import { readGlmUsage } from "./glmUsage.js";
import { readGoogleRefusal } from "./googleRefusal.js";
import { readKimiUsage } from "./kimiUsage.js";
import { readMiniMaxUsage } from "./miniMaxUsage.js";
import { readOpenRouterKey, readOpenRouterRefusal } from "./openRouter.js";
import { readPlanRefusal } from "./planRefusal.js";
import { familyOf, type ProviderFamily } from "./providerFamily.js";
import { waitInText } from "./waitInText.js";

/**
 * Reads the body of an answer: a refusal by what it says, since gateways pass on what others refused; anything else as what the
 * provider's usage endpoint says, if it has one.
 */
export function readBody(body: unknown, findings: Findings): void {
  // Gemini puts a refusal in a list where a stream was asked for.
  const members: unknown = Array.isArray(body) ? body[0] : body;
  if (!isRecord(members)) return;
  const { error } = members;
  const family = familyOf(findings.provider);
  if (isRecord(error)) readRefusal(error, family, findings);
  else if (family !== undefined) readUsage(members, family, findings);
}

function readRefusal(error: Members, family: ProviderFamily | undefined, findings: Findings): void {
  if (error["type"] === "usage_limit_reached") readCodexRefusal(error, findings);
  readOpenRouterRefusal(error, findings);
  const spentToday = readGoogleRefusal(error, findings);
  const { message } = error;
  if (typeof message !== "string" || spentToday) return;
  if (family === "bailian")
    readPlanRefusal(message, { family, unit: bailianUnit(findings.provider) }, findings);
  else if (family !== undefined) readPlanRefusal(message, { family }, findings);
  const wait = waitInText(message);
  if (wait !== undefined) findings.wait(wait, "error.message");
}

function readUsage(body: Members, family: ProviderFamily, findings: Findings): void {
  switch (family) {
    case "codex":
      return readCodexUsage(body, findings);
    case "claude":
      return readClaudeUsage(body, findings);
    case "kimi":
      return readKimiUsage(body, findings);
    case "glm":
      return readGlmUsage(body, findings);
    case "minimax":
      return readMiniMaxUsage(body, findings);
    case "bailian":
      return readBailianUsage(body, findings);
    case "openrouter":
      return readOpenRouterKey(body, findings);
    case "openai":
    case "gemini":
      // They have none that a key may ask.
      return;
  }
}
