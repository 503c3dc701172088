import type { AccountView, ShownWindow } from "../accountView.js";
import type { JsonObject } from "../jsonObject.js";
import { day, hour, week } from "../spans.js";
import type { ProviderFamily } from "./providerFamily.js";

/**
 * Bailian's coding plan: nothing in the headers; calls of a total deep inside the usage endpoint's body, resets in milliseconds. The
 * shape `other` is a token plan: fractions, though the fields are called percentages.
 */
export const bailian: ProviderFamily = {
  windows: [
    { name: "5h", lengthMs: 5 * hour, unit: "percent", limit: 200_000, starts: "first-use" },
    { name: "weekly", lengthMs: week, unit: "percent", limit: 1_600_000, starts: { from: 4 * day } },
    { name: "monthly", lengthMs: 30 * day, unit: "percent", limit: 3_200_000, starts: { from: 0 } },
  ],
  headers: () => ({}),
  refuse(_, { cause, window, model }) {
    const span = window.lengthMs <= day ? "hour" : window.lengthMs <= week ? "week" : "month";
    const message =
      cause === "model"
        ? `Requests rate limit exceeded for ${model}, please try again later.`
        : `${span} allocated quota exceeded.`;
    const code = cause === "model" ? "Throttling.RateQuota" : "Throttling.AllocationQuota";
    return { status: 429, body: { error: { code, message, param: null, type: code } }, headers: {} };
  },
  usage: {
    pathEnds: ["/data/api.json"],
    body: (view) => ({
      code: "200",
      data: {
        DataV2: {
          ret: ["SUCCESS::OK"],
          data: { data: view.shape === "usual" ? codingPlan(view) : tokenPlan(view) },
        },
        success: true,
      },
      successResponse: true,
    }),
  },
};

/** The spans, as either kind of plan names them, and how many calls a coding plan calls 100 %. */
const spans = [
  { counts: "per5Hour", parts: "per5Hour", most: day, total: 1200 },
  { counts: "perWeek", parts: "per1Week", most: week, total: 9000 },
  { counts: "perBillMonth", parts: "per1Month", most: Number.POSITIVE_INFINITY, total: 18_000 },
] as const;

function spanOf({ lengthMs }: ShownWindow): (typeof spans)[number] {
  return spans.find(({ most }) => lengthMs <= most) ?? spans[2];
}

function codingPlan({ windows }: AccountView): JsonObject {
  const quota = windows.flatMap((window) => {
    const { counts, total } = spanOf(window);
    return [
      [`${counts}UsedQuota`, usedCalls(window, total)],
      [`${counts}TotalQuota`, total],
      [`${counts}QuotaNextRefreshTime`, Math.ceil(window.resetsAt)],
    ] as const;
  });
  return {
    codingPlanInstanceInfos: [
      { planName: "Coding Plan Lite", status: "VALID", codingPlanQuotaInfo: Object.fromEntries(quota) },
    ],
  };
}

function tokenPlan({ windows }: AccountView): JsonObject {
  return Object.fromEntries(
    windows.flatMap((window) => {
      const { parts } = spanOf(window);
      return [
        [`${parts}Percentage`, window.percent / 100],
        [`${parts}ResetTime`, Math.ceil(window.resetsAt)],
      ];
    }),
  );
}

function usedCalls({ used, limit }: ShownWindow, total: number): number {
  return Math.min(total, Math.floor(limit === 0 ? total : (used / limit) * total + 1e-9));
}
