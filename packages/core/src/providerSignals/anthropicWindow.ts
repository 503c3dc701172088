import { durationIn } from "./durationIn.js";

/** The two windows in which a subscription counts everything, by their names in headers. */
const ACCOUNT_WINDOWS: ReadonlyMap<string, string> = new Map([
  ["5h", "5h"],
  ["7d", "weekly"],
]);

/** One of Anthropic's windows: a plan's, or one of its own and what it is for. */
export interface AnthropicWindow {
  readonly window: string;
  readonly lengthMs: number | undefined;
  readonly scope: string | undefined;
}

/** The window that headers call by this name: `7d` is the week, `7d_opus` that of a model, `overage` what is paid beyond. */
export function anthropicWindow(name: string): AnthropicWindow {
  const window = ACCOUNT_WINDOWS.get(name);
  if (window !== undefined) return { window, lengthMs: undefined, scope: undefined };
  const lengthEnd = name.includes("_") ? name.indexOf("_") : name.length;
  const lengthMs = durationIn(name.slice(0, lengthEnd));
  if (lengthMs === undefined) return { window: name, lengthMs, scope: name };
  return { window: name, lengthMs, scope: lengthEnd < name.length ? name.slice(lengthEnd + 1) : undefined };
}

/** The name in headers of what refusals and the usage endpoint call otherwise: `seven_day_opus` is `7d_opus`. */
export function headerNameOf(name: string): string {
  if (name === "five_hour") return "5h";
  return name.startsWith("seven_day") ? `7d${name.slice("seven_day".length)}` : name;
}
