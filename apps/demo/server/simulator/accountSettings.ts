import { hour, minute } from "./spans.js";
import { defaultTokenPrices, type TokenPrices } from "./tokenPrice.js";

/** One limit of an account. */
export interface WindowTerms {
  /** Unique in its account: `5h`, `weekly`, `requests per minute`. */
  readonly name: string;
  readonly lengthMs: number;
  /** What is counted. `percent` and `usd` count priced tokens ({@link WindowTerms.limit}). */
  readonly unit: LimitUnit;
  /** Requests, tokens, dollars; of a percentage the priced tokens that make 100 %. */
  readonly limit: number;
  /**
   * `"first-use"`: it opens with the first request after the last one ended, and until then the end that is shown is a whole
   * length away and slides. A moment: one follows the other from there on, used or not.
   */
  readonly starts: "first-use" | { readonly from: number };
  /** False: shown, but nothing is refused for its sake. Default true. */
  readonly enforced?: boolean;
  /** Counts and refuses only requests for models whose name has this in it. */
  readonly model?: string;
}

export type LimitUnit = "percent" | "usd" | "requests" | "tokens" | "input-tokens" | "output-tokens";

/** How one account is. Everything may be changed while it is used; what was used stays. */
export interface AccountSettings {
  /** Changing a limit is a plan change: the same use is another percentage. */
  readonly windows: readonly WindowTerms[];
  readonly prices: TokenPrices;
  /** Shown percentages are rounded down to whole ones or to tenths. */
  readonly percentSteps: 1 | 0.1;
  /** How far the provider's clock is ahead of ours: absolute resets and the Date header are off by it, waits are not. */
  readonly clockOffsetMs: number;
  /** Anything but `valid` answers 401 or 403, at the usage endpoint too. */
  readonly login: "valid" | "expired" | "forbidden";
  /** 429 for all requests because the overage is spent, or for those for one model; the account itself has room. */
  readonly refusing: "nothing" | "overage" | { readonly model: string };
  /** Where a family is known to answer in two shapes: the other one. */
  readonly shape: "usual" | "other";
  readonly planType: string;
}

export function defaultAccountSettings(): AccountSettings {
  return {
    windows: plentyPerMinute(),
    prices: defaultTokenPrices(),
    percentSteps: 1,
    clockOffsetMs: 0,
    login: "valid",
    refusing: "nothing",
    shape: "usual",
    planType: "plus",
  };
}

/** What is announced where nothing is enforced. */
function plentyPerMinute(): readonly WindowTerms[] {
  const plenty = { lengthMs: minute, starts: "first-use", enforced: false } as const;
  return [
    { ...plenty, name: "requests", unit: "requests", limit: 10_000 },
    { ...plenty, name: "tokens", unit: "tokens", limit: 2_000_000 },
  ];
}

/** What is wrong with settings, or undefined. */
export function accountComplaint(settings: Partial<AccountSettings>): string | undefined {
  const { windows = [], percentSteps = 1, clockOffsetMs = 0 } = settings;
  const names = new Set(windows.map(({ name }) => name));
  if (names.size < windows.length) return "two windows have the same name";
  for (const { name, lengthMs, limit } of windows) {
    if (!(lengthMs >= 1 && lengthMs <= 10_000 * hour))
      return `the length of the window ${name} is ${lengthMs}`;
    if (!(limit >= 0 && limit <= Number.MAX_SAFE_INTEGER))
      return `the limit of the window ${name} is ${limit}`;
  }
  if (![1, 0.1].includes(percentSteps)) return `percentSteps is 1 or 0.1, not ${percentSteps}`;
  return Number.isFinite(clockOffsetMs) ? undefined : `clockOffsetMs is ${clockOffsetMs}`;
}
