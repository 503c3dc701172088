import { secondsUntil, type AccountRefusal, type AccountView, type ShownWindow } from "../accountView.js";
import type { JsonObject } from "../jsonObject.js";
import { day, hour, minute } from "../spans.js";
import type { ProviderFamily } from "./providerFamily.js";
import { rateLimitNames } from "./rateLimitNames.js";

/**
 * OpenAI's API with a key: requests and tokens a minute, resets as spans of time. The shape `other` names its windows (`-requests-hour`),
 * as Cerebras and Mistral do.
 */
export const openai: ProviderFamily = {
  windows: [
    { name: "requests", lengthMs: minute, unit: "requests", limit: 10_000, starts: "first-use" },
    { name: "tokens", lengthMs: minute, unit: "tokens", limit: 2_000_000, starts: "first-use" },
  ],
  headers: (view) => rateLimitNames(view, goDuration, view.shape === "other" ? periodOf : undefined),
  refuse: (view, refusal) => ({
    status: 429,
    body: { error: errorOf(view, refusal) },
    headers: waitOf(view, refusal),
  }),
};

/** A window of another length has no name of this kind. */
function periodOf({ lengthMs }: ShownWindow): string {
  return PERIODS.get(lengthMs) ?? "";
}

const PERIODS: ReadonlyMap<number, string> = new Map([
  [minute, "-minute"],
  [hour, "-hour"],
  [day, "-day"],
]);

/** Go's way of writing a time span: `1s`, `6m0s`, `120ms`. */
function goDuration(ms: number): string {
  if (ms < 1000) return `${Math.max(0, Math.ceil(ms))}ms`;
  const seconds = Math.ceil(ms / 1000);
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor((seconds % 3600) / 60)];
  return `${hours > 0 ? `${hours}h` : ""}${hours > 0 || minutes > 0 ? `${minutes}m` : ""}${seconds % 60}s`;
}

function errorOf({ now }: AccountView, { cause, window, model }: AccountRefusal): JsonObject {
  if (cause === "overage") {
    const message = "You exceeded your current quota, please check your plan and billing details.";
    return { message, type: "insufficient_quota", param: null, code: "insufficient_quota" };
  }
  const wait = goDuration(window.resetsAt - now);
  const message = `Rate limit reached for ${model} in organization simulated-owner on ${window.name}: Limit ${window.limit}, Used ${Math.ceil(window.used)}. Please try again in ${wait}.`;
  const type = window.unit === "tokens" ? "tokens" : "requests";
  return { message, type, param: null, code: "rate_limit_exceeded" };
}

function waitOf({ now }: AccountView, { cause, window }: AccountRefusal): Readonly<Record<string, string>> {
  if (cause === "overage") return {};
  return {
    "retry-after": String(secondsUntil(window.resetsAt, now)),
    "retry-after-ms": String(Math.max(0, Math.ceil(window.resetsAt - now))),
  };
}
