import {
  epochSeconds,
  secondsUntil,
  type AccountRefusal,
  type AccountView,
  type ShownWindow,
} from "../accountView.js";
import type { JsonObject } from "../jsonObject.js";
import { day, hour, week } from "../spans.js";
import type { Headers, ProviderFamily } from "./providerFamily.js";
import { wholeSecond } from "./wholeSecond.js";

/**
 * A Claude subscription: fractions in the headers, percentages at the usage endpoint; a window of one model is a week beside the
 * account's (`7d_opus`). The shape `other` writes resets as RFC 3339.
 */
export const anthropicUnified: ProviderFamily = {
  windows: [
    { name: "5h", lengthMs: 5 * hour, unit: "percent", limit: 400_000, starts: "first-use" },
    { name: "weekly", lengthMs: week, unit: "percent", limit: 3_200_000, starts: "first-use" },
  ],
  headers(view, refusal) {
    const { windows } = view;
    const [fullest] = [...windows].sort((one, other) => other.percent - one.percent);
    const claimed = refusal?.window ?? fullest;
    if (claimed === undefined) return {};
    const claim = refusal?.cause === "overage" ? "overage" : claimName(claimed, refusal);
    return {
      "anthropic-ratelimit-unified-status": refusal === undefined ? statusOf(claimed) : "rejected",
      "anthropic-ratelimit-unified-reset": resetText(claimed, view),
      "anthropic-ratelimit-unified-representative-claim": claim,
      ...Object.fromEntries(windows.flatMap((window) => Object.entries(windowHeaders(window, view)))),
      ...(refusal?.cause === "model" && refusal.window.model === undefined ? oneModel(refusal, view) : {}),
      ...overage(view, refusal),
    };
  },
  refuse: ({ now }, { cause, window, model }) => ({
    status: 429,
    body: {
      type: "error",
      error: { type: "rate_limit_error", message: refusalMessages[cause].replace("MODEL", model) },
    },
    headers: { "retry-after": String(secondsUntil(window.resetsAt, now)), "x-should-retry": "true" },
  }),
  usage: {
    pathEnds: ["/api/oauth/usage"],
    body(view) {
      const bodyOf = (lengthMs: number, model?: string): JsonObject | null => {
        const window = view.windows.find((each) => each.lengthMs === lengthMs && each.model === model);
        if (window === undefined) return null;
        return {
          utilization: window.percent,
          resets_at: window.isOpen ? microseconds(window.resetsAt) : null,
        };
      };
      return {
        five_hour: bodyOf(5 * hour),
        seven_day: bodyOf(week),
        seven_day_oauth_apps: null,
        seven_day_opus: bodyOf(week, "opus"),
        seven_day_sonnet: bodyOf(week, "sonnet"),
        extra_usage: { is_enabled: false, monthly_limit: null, used_credits: null, utilization: null },
      };
    },
  },
};

const refusalMessages = {
  window: "This request would exceed your account's rate limit. Please try again later.",
  model: "You have reached your weekly limit for MODEL. Other models are available.",
  overage: "Extra usage is required for this request, and none is left.",
} as const;

function windowHeaders(window: ShownWindow, view: AccountView): Headers {
  const prefix = `anthropic-ratelimit-unified-${abbreviation(window)}`;
  return {
    [`${prefix}-status`]: statusOf(window),
    [`${prefix}-utilization`]: fraction(window),
    [`${prefix}-reset`]: resetText(window, view),
  };
}

function oneModel({ window, model }: AccountRefusal, view: AccountView): Headers {
  return windowHeaders({ ...window, lengthMs: week, model: familyOfModel(model) }, view);
}

/** Out of it by default, as most accounts are; a policy of the account, no sign that it is spent. */
function overage(view: AccountView, refusal: AccountRefusal | undefined): Headers {
  const prefix = "anthropic-ratelimit-unified-overage";
  if (refusal?.cause !== "overage")
    return { [`${prefix}-status`]: "rejected", [`${prefix}-disabled-reason`]: "org_level_disabled" };
  return {
    [`${prefix}-status`]: "rejected",
    [`${prefix}-disabled-reason`]: "out_of_credits",
    [`${prefix}-utilization`]: "1.0",
    [`${prefix}-reset`]: resetText(refusal.window, view),
  };
}

/** `5h`, `7d`, `7d_opus`. */
function abbreviation({ lengthMs, model }: ShownWindow): string {
  const span =
    lengthMs < day ? `${Math.max(1, Math.round(lengthMs / hour))}h` : `${Math.round(lengthMs / day)}d`;
  return model === undefined ? span : `${span}_${model}`;
}

function claimName(window: ShownWindow, refusal: AccountRefusal | undefined): string {
  if (refusal?.cause === "model") return `seven_day_${window.model ?? familyOfModel(refusal.model)}`;
  return window.lengthMs < day ? "five_hour" : "seven_day";
}

/** `claude-opus-4-1` is an opus. */
function familyOfModel(model: string): string {
  return /opus|sonnet|haiku/u.exec(model)?.[0] ?? model;
}

function statusOf({ percent }: ShownWindow): string {
  if (percent >= 100) return "rejected";
  return percent >= 80 ? "allowed_warning" : "allowed";
}

/** Two places where the account's steps are whole percents, three where they are tenths. */
function fraction({ percent }: ShownWindow): string {
  return (percent / 100).toFixed(Number.isInteger(percent) ? 2 : 3);
}

function resetText({ resetsAt }: ShownWindow, { shape }: AccountView): string {
  return shape === "usual" ? String(epochSeconds(resetsAt)) : wholeSecond(resetsAt);
}

/** As Python writes a moment. */
function microseconds(moment: number): string {
  return new Date(moment).toISOString().replace("Z", "000+00:00");
}
