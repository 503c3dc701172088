import { leftOf, type ShownWindow } from "../accountView.js";
import type { JsonObject } from "../jsonObject.js";
import { day, hour, week } from "../spans.js";
import { beijingTime } from "./beijingTime.js";
import type { ProviderFamily } from "./providerFamily.js";

/**
 * GLM's coding plan: nothing in the headers. At the usage endpoint `usage` is the limit and `currentValue` what was used; the shape
 * `other` has percentages alone, under another type, and no reset of the five hours. Refusals tell the time of Beijing, without
 * its zone.
 */
export const glm: ProviderFamily = {
  windows: [
    { name: "5h", lengthMs: 5 * hour, unit: "tokens", limit: 400_000, starts: "first-use" },
    { name: "weekly", lengthMs: week, unit: "tokens", limit: 3_200_000, starts: "first-use" },
  ],
  headers: () => ({}),
  refuse(_, { cause, window, model }) {
    const resets = `Your limit will reset at ${beijingTime(window.resetsAt)}`;
    const [code, message] =
      cause === "model"
        ? ["1305", `The model ${model} is currently overloaded, please try again later`]
        : window.lengthMs <= day
          ? ["1308", `Usage limit reached for ${Math.round(window.lengthMs / hour)} hour. ${resets}`]
          : ["1310", `Weekly/Monthly Limit Exhausted. ${resets}`];
    return { status: 429, body: { error: { code, message } }, headers: {} };
  },
  usage: {
    pathEnds: ["/api/monitor/usage/quota/limit"],
    body: ({ windows, shape }) => ({
      code: 200,
      msg: "Operation successful",
      data: {
        limits: [
          // The tools' own limit: a month, and no tokens.
          {
            type: "TIME_LIMIT",
            unit: 5,
            number: 1,
            usage: 1000,
            currentValue: 70,
            remaining: 930,
            percentage: 7,
          },
          ...windows.map((window) => (shape === "usual" ? counted(window) : percentage(window))),
        ],
        level: "pro",
      },
      success: true,
    }),
  },
};

function counted(window: ShownWindow): JsonObject {
  return {
    type: "TOKENS_LIMIT",
    ...spanOf(window),
    usage: window.limit,
    currentValue: window.used,
    remaining: leftOf(window),
    percentage: Math.floor(window.percent),
    nextResetTime: Math.ceil(window.resetsAt),
  };
}

function percentage(window: ShownWindow): JsonObject {
  const reset = window.lengthMs <= day ? {} : { nextResetTime: Math.ceil(window.resetsAt) };
  return { type: "CREDIT_LIMIT", ...spanOf(window), percentage: Math.floor(window.percent), ...reset };
}

/** Three is hours, six is weeks. */
function spanOf({ lengthMs }: ShownWindow): JsonObject {
  return lengthMs <= day
    ? { unit: 3, number: Math.round(lengthMs / hour) }
    : { unit: 6, number: Math.round(lengthMs / week) };
}
