import {
  epochSeconds,
  secondsUntil,
  type AccountRefusal,
  type AccountView,
  type ShownWindow,
} from "../accountView.js";
import type { JsonObject } from "../jsonObject.js";
import { hour, week } from "../spans.js";
import type { Headers, ProviderFamily } from "./providerFamily.js";

/**
 * A ChatGPT plan as Codex uses it: whole percents of five hours and of a week, both begun by their first use. The shape `other`
 * has the longer window in the first slot. A window of one model is a limit with a name of its own beside the account's.
 */
export const codex: ProviderFamily = {
  windows: [
    { name: "5h", lengthMs: 5 * hour, unit: "percent", limit: 200_000, starts: "first-use" },
    { name: "weekly", lengthMs: week, unit: "percent", limit: 1_600_000, starts: "first-use" },
  ],
  headers(view, refusal) {
    const { now, planType } = view;
    const [primary, secondary] = slots(view);
    const named = [...view.windows.filter(({ model }) => model !== undefined), ...unlisted(refusal)];
    return {
      "x-codex-plan-type": planType,
      "x-codex-active-limit": refusal?.cause === "model" ? `codex_${limitName(refusal)}` : "codex",
      ...(primary === undefined ? {} : slot("x-codex-primary", primary, now)),
      ...(secondary === undefined ? {} : slot("x-codex-secondary", secondary, now)),
      "x-codex-primary-over-secondary-limit-percent": "0",
      ...Object.fromEntries(named.flatMap((window) => Object.entries(ofOneModel(window, now)))),
      "x-codex-credits-has-credits": "False",
      "x-codex-credits-unlimited": "False",
      "x-codex-credits-balance": refusal?.cause === "overage" ? "0" : "",
      ...(refusal === undefined ? {} : { "x-codex-rate-limit-reached-type": reachedType(refusal) }),
    };
  },
  refuse: ({ now, planType }, { window }) => ({
    status: 429,
    headers: {},
    body: {
      error: {
        type: "usage_limit_reached",
        message: "The usage limit has been reached",
        plan_type: planType,
        resets_at: epochSeconds(window.resetsAt),
        resets_in_seconds: secondsUntil(window.resetsAt, now),
      },
    },
  }),
  usage: {
    pathEnds: ["/wham/usage", "/api/codex/usage"],
    body(view) {
      const named = view.windows.filter(({ model }) => model !== undefined);
      return {
        user_id: "user-simulated",
        account_id: "simulated-owner",
        email: "owner@example.com",
        plan_type: view.planType,
        rate_limit: rateLimit(slots(view), view.now),
        code_review_rate_limit: null,
        additional_rate_limits: named.map((window) => ({
          limit_name: window.model,
          metered_feature: `codex_${slug(window.model ?? "")}`,
          rate_limit: rateLimit([window, undefined], view.now),
        })),
        credits: { has_credits: false, unlimited: false, balance: "0" },
        rate_limit_reached_type: null,
      };
    },
  },
};

type Slots = readonly [primary: ShownWindow | undefined, secondary: ShownWindow | undefined];

/** One window of each length, the fuller where there are several. */
function slots({ windows, shape }: AccountView): Slots {
  const fullest = new Map<number, ShownWindow>();
  for (const each of windows.filter(({ model }) => model === undefined))
    if (each.percent >= (fullest.get(each.lengthMs)?.percent ?? 0)) fullest.set(each.lengthMs, each);
  const [first, second] = [...fullest.values()];
  return shape === "other" ? [second, first] : [first, second];
}

function slot(prefix: string, { percent, lengthMs, resetsAt }: ShownWindow, now: number): Headers {
  return {
    [`${prefix}-used-percent`]: String(percent),
    [`${prefix}-window-minutes`]: String(Math.max(1, Math.round(lengthMs / 60_000))),
    [`${prefix}-reset-after-seconds`]: String(secondsUntil(resetsAt, now)),
    [`${prefix}-reset-at`]: String(epochSeconds(resetsAt)),
  };
}

function ofOneModel(window: ShownWindow, now: number): Headers {
  const prefix = `x-codex-${slug(window.model ?? "")}`;
  return { ...slot(`${prefix}-primary`, window, now), [`${prefix}-limit-name`]: window.model ?? "" };
}

/** A refusal for one model whose limit is in no book. */
function unlisted(refusal: AccountRefusal | undefined): readonly ShownWindow[] {
  if (refusal?.cause !== "model") return [];
  return [{ ...refusal.window, model: refusal.window.model ?? refusal.model }];
}

function limitName({ window, model }: AccountRefusal): string {
  return slug(window.model ?? model);
}

function slug(model: string): string {
  return model.toLowerCase().replace(/[^a-z0-9]+/gu, "_");
}

function reachedType({ cause }: AccountRefusal): string {
  return cause === "overage" ? "workspace_owner_credits_depleted" : "rate_limit_reached";
}

function rateLimit([primary, secondary]: Slots, now: number): JsonObject {
  const spent = [primary, secondary].some((each) => each !== undefined && each.percent >= 100);
  return {
    allowed: !spent,
    limit_reached: spent,
    primary_window: windowBody(primary, now),
    secondary_window: windowBody(secondary, now),
  };
}

function windowBody(window: ShownWindow | undefined, now: number): JsonObject | null {
  if (window === undefined) return null;
  return {
    used_percent: window.percent,
    limit_window_seconds: Math.round(window.lengthMs / 1000),
    reset_after_seconds: secondsUntil(window.resetsAt, now),
    reset_at: epochSeconds(window.resetsAt),
  };
}
