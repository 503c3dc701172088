import { secondsUntil, type AccountView, type ShownWindow } from "../accountView.js";
import type { JsonObject } from "../jsonObject.js";
import { day, hour, minute, week } from "../spans.js";
import type { ProviderFamily } from "./providerFamily.js";

/**
 * Kimi's coding plan: nothing in the headers; numbers as strings at the usage endpoint, and a zero is left out. The shape `other`
 * has limits of 0 and tells the five hours as a ratio alone, and refuses with a 403 that is no trouble with the login.
 */
export const kimi: ProviderFamily = {
  windows: [
    { name: "5h", lengthMs: 5 * hour, unit: "percent", limit: 200_000, starts: "first-use" },
    { name: "weekly", lengthMs: week, unit: "percent", limit: 1_600_000, starts: "first-use" },
  ],
  headers: () => ({}),
  refuse({ now, shape }, { cause, window, model }) {
    if (cause !== "model" && shape === "other") {
      const error = { message: spentMessage(window), type: "access_terminated_error" };
      return { status: 403, body: { error }, headers: {} };
    }
    const wait = secondsUntil(window.resetsAt, now);
    const message =
      cause === "model"
        ? `Your account reached the max RPM of ${model}, please try again after ${wait} seconds`
        : spentMessage(window);
    return { status: 429, body: { error: { message, type: "rate_limit_reached_error" } }, headers: {} };
  },
  usage: {
    pathEnds: ["/usages"],
    body(view) {
      const { windows, shape } = view;
      const [long] = windows.filter(({ lengthMs }) => lengthMs > day);
      const short = windows.filter(({ lengthMs }) => lengthMs <= day);
      return {
        user: {
          userId: "simulated-owner",
          region: "REGION_OVERSEA",
          membership: { level: "LEVEL_INTERMEDIATE" },
        },
        ...(long === undefined ? {} : { usage: detailOf(long) }),
        limits: short.map((window) => ({
          window: { duration: Math.round(window.lengthMs / minute), timeUnit: "TIME_UNIT_MINUTE" },
          detail: shape === "usual" ? detailOf(window) : { limit: "0", used: "0", remaining: "0" },
        })),
        usages: Object.fromEntries(view.windows.map((window) => [ratioName(window), ratioOf(window)])),
      };
    },
  },
};

/** Of a hundred. What was not used is not said. */
function detailOf({ percent, resetsAt }: ShownWindow): JsonObject {
  const used = Math.floor(percent);
  return {
    limit: "100",
    ...(used === 0 ? {} : { used: String(used) }),
    remaining: String(100 - used),
    resetTime: new Date(resetsAt).toISOString().replace("Z", "960Z"),
  };
}

function ratioName({ lengthMs }: AccountView["windows"][number]): string {
  return lengthMs <= day ? `limit_${Math.round(lengthMs / hour)}h` : `limit_${Math.round(lengthMs / day)}d`;
}

function ratioOf({ percent, resetsAt }: ShownWindow): JsonObject {
  return {
    used_ratio: percent / 100,
    reset_time: new Date(Math.floor(resetsAt / 1000) * 1000).toISOString().replace(".000Z", "Z"),
  };
}

function spentMessage({ lengthMs }: ShownWindow): string {
  return lengthMs <= day
    ? "You've reached your 5-hour usage limit. Your quota will reset when the current 5-hour window ends."
    : "You've reached your weekly (7-day) usage limit. Your quota will be refreshed in the next cycle.";
}
