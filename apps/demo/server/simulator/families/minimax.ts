import { leftOf, type AccountView, type ShownWindow } from "../accountView.js";
import type { JsonObject } from "../jsonObject.js";
import { day, hour, week } from "../spans.js";
import type { ProviderFamily } from "./providerFamily.js";

/**
 * MiniMax's token plan: nothing in the headers. At the usage endpoint the field called usage count holds what is left; the shape
 * `other` counts nothing and tells percentages, which are what is left too. Windows follow one another, used or not.
 */
export const minimax: ProviderFamily = {
  windows: [
    { name: "5h", lengthMs: 5 * hour, unit: "tokens", limit: 400_000, starts: { from: 0 } },
    // Weeks begin on Monday; the epoch was a Thursday.
    { name: "weekly", lengthMs: week, unit: "tokens", limit: 3_200_000, starts: { from: 4 * day } },
  ],
  headers: () => ({}),
  refuse(_, { cause, window, model }) {
    const span = window.lengthMs <= day ? "5-hour" : "weekly";
    const used = window.limit - leftOf(window);
    const resets = `${new Date(window.resetsAt + 8 * hour).toISOString().slice(0, 19)}+08:00`;
    const message =
      cause === "model"
        ? `rate limit exceeded for ${model}, please retry later (1002)`
        : `usage limit exceeded, ${span} usage limit reached for Token Plan Plus (${used}/${window.limit} used), resets at ${resets} (2056)`;
    return {
      status: 429,
      body: { type: "error", error: { type: "rate_limit_error", message, http_code: "429" } },
      headers: {},
    };
  },
  usage: {
    pathEnds: ["/coding_plan/remains", "/token_plan/remains"],
    body: (view) => ({
      model_remains: view.shape === "usual" ? [counted(view)] : [percentages(view), unlimitedVideo(view)],
      base_resp: { status_code: 0, status_msg: "success" },
    }),
  },
};

function counted(view: AccountView): JsonObject {
  const { short, long } = spansOf(view);
  return {
    ...times(view),
    model_name: "MiniMax-M*",
    current_interval_total_count: short?.limit ?? 0,
    current_interval_usage_count: short === undefined ? 0 : leftOf(short),
    current_weekly_total_count: long?.limit ?? 0,
    current_weekly_usage_count: long === undefined ? 0 : leftOf(long),
  };
}

function percentages(view: AccountView): JsonObject {
  const { short, long } = spansOf(view);
  return {
    ...times(view),
    model_name: "general",
    ...nothingCounted,
    current_interval_status: 1,
    current_interval_remaining_percent: 100 - Math.floor(short?.percent ?? 0),
    current_weekly_status: 1,
    current_weekly_remaining_percent: 100 - Math.floor(long?.percent ?? 0),
  };
}

/** Another service of the plan, without a limit. */
function unlimitedVideo(view: AccountView): JsonObject {
  return {
    ...times(view),
    model_name: "video",
    ...nothingCounted,
    current_interval_status: 3,
    current_interval_remaining_percent: 100,
    current_weekly_status: 3,
    current_weekly_remaining_percent: 100,
  };
}

const nothingCounted = {
  current_interval_total_count: 0,
  current_interval_usage_count: 0,
  current_weekly_total_count: 0,
  current_weekly_usage_count: 0,
} as const;

function times(view: AccountView): JsonObject {
  const { short, long } = spansOf(view);
  return {
    ...(short === undefined
      ? {}
      : { start_time: short.opensAt, end_time: short.resetsAt, remains_time: short.resetsAt - view.now }),
    ...(long === undefined
      ? {}
      : {
          weekly_start_time: long.opensAt,
          weekly_end_time: long.resetsAt,
          weekly_remains_time: long.resetsAt - view.now,
        }),
  };
}

function spansOf({ windows }: AccountView): {
  readonly short: ShownWindow | undefined;
  readonly long: ShownWindow | undefined;
} {
  return {
    short: windows.find(({ lengthMs }) => lengthMs <= day),
    long: windows.find(({ lengthMs }) => lengthMs > day),
  };
}
