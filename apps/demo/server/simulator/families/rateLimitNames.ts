import { leftOf, type AccountView, type ShownWindow } from "../accountView.js";
import type { WindowTerms } from "../accountSettings.js";
import type { Headers } from "./providerFamily.js";

/**
 * `x-ratelimit-limit-requests` and its siblings, as OpenAI named them and others spell them; the tightest window of each unit. `nameOf`
 * is what those put behind it who name its window.
 */
export function rateLimitNames(
  { windows, now }: Pick<AccountView, "windows" | "now">,
  writeReset: (ms: number) => string,
  nameOf: (window: ShownWindow) => string = () => "",
): Headers {
  return Object.fromEntries(
    (["requests", "tokens"] as const).flatMap((unit) => {
      const window = tightest(windows, unit);
      if (window === undefined) return [];
      const what = `${unit}${nameOf(window)}`;
      return [
        [`x-ratelimit-limit-${what}`, String(window.limit)],
        [`x-ratelimit-remaining-${what}`, String(leftOf(window))],
        [`x-ratelimit-reset-${what}`, writeReset(Math.max(0, window.resetsAt - now))],
      ];
    }),
  );
}

export function tightest(
  windows: readonly ShownWindow[],
  unit: WindowTerms["unit"],
): ShownWindow | undefined {
  return windows
    .filter((each) => each.unit === unit && each.model === undefined)
    .sort((one, other) => leftOf(one) - leftOf(other))[0];
}
