/**
 * What the Codex client (codex-rs, crate `codex-api`) makes of an answer's headers and of a 429, said again in our words:
 *
 * - A window is there if its `used-percent` is a finite number, and it says anything: some use, a length that is not 0, or a reset.
 * - `window-minutes` and `reset-at` are whole numbers (of 64 bits), or as good as not there. `reset-after-seconds` is not looked at.
 * - The windows of a 429 are those of the limit that `x-codex-active-limit` names (`x-<name>-primary-…`), else of `codex`.
 * - A 429 is a spent limit only if its body is `{ error: { type: "usage_limit_reached" } }`, with a `resets_at` that is a whole number of
 *   seconds or missing; every other 429 is a request that was tried too often.
 */
export interface CodexWindow {
  readonly usedPercent: number;
  readonly windowMinutes: number | undefined;
  readonly resetsAt: number | undefined;
}

export interface CodexLimits {
  readonly primary: CodexWindow | undefined;
  readonly secondary: CodexWindow | undefined;
  readonly hasCredits: boolean;
}

type Get = (name: string) => string | null | undefined;

export function codexLimits(get: Get, limit = "codex"): CodexLimits {
  const prefix = `x-${limit.trim().toLowerCase().replaceAll("_", "-")}`;
  return {
    primary: codexWindow(get, `${prefix}-primary`),
    secondary: codexWindow(get, `${prefix}-secondary`),
    hasCredits: get("x-codex-credits-has-credits") != null,
  };
}

/** What the client ends its turn with at a 429. */
export function codexRefusal(
  get: Get,
  body: unknown,
):
  | {
      readonly kind: "usage-limit";
      readonly resetsAt: number | undefined;
      readonly plan: unknown;
      readonly limits: CodexLimits;
    }
  | { readonly kind: "retry-limit" } {
  const { error } = body as { error?: { type?: unknown; resets_at?: unknown; plan_type?: unknown } };
  const resetsAt = error?.resets_at;
  if (error?.type !== "usage_limit_reached" || (resetsAt !== undefined && !Number.isSafeInteger(resetsAt)))
    return { kind: "retry-limit" };
  return {
    kind: "usage-limit",
    resetsAt: resetsAt as number | undefined,
    plan: error.plan_type,
    limits: codexLimits(get, get("x-codex-active-limit") ?? undefined),
  };
}

function codexWindow(get: Get, prefix: string): CodexWindow | undefined {
  const text = get(`${prefix}-used-percent`);
  if (text == null || !/^[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?$/iu.test(text)) return undefined;
  const usedPercent = Number(text);
  const windowMinutes = whole(get(`${prefix}-window-minutes`));
  const resetsAt = whole(get(`${prefix}-reset-at`));
  const says = usedPercent !== 0 || (windowMinutes ?? 0) !== 0 || resetsAt !== undefined;
  return Number.isFinite(usedPercent) && says ? { usedPercent, windowMinutes, resetsAt } : undefined;
}

function whole(text: string | null | undefined): number | undefined {
  return text != null && /^[-+]?\d+$/u.test(text) ? Number(text) : undefined;
}
