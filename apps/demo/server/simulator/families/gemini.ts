import { day, hour, minute } from "../spans.js";
import type { ProviderFamily } from "./providerFamily.js";

/**
 * Gemini: no headers at all; a refusal tells the wait in its body. Of a day's limit it tells a short wait too, which is not true:
 * the name of the quota is.
 */
export const gemini: ProviderFamily = {
  windows: [
    { name: "PerMinute", lengthMs: minute, unit: "requests", limit: 1000, starts: "first-use" },
    // From midnight in California, in summer.
    { name: "PerDay", lengthMs: day, unit: "requests", limit: 10_000, starts: { from: 7 * hour } },
  ],
  headers: () => ({}),
  refuse({ now }, { window, model }) {
    const isDaily = window.lengthMs >= day;
    const waitMs = Math.max(0, isDaily ? minute - (now % minute) : window.resetsAt - now);
    const retryDelay = `${(Math.ceil(waitMs * 1000) / 1_000_000).toFixed(9)}s`;
    const quotaId = `GenerateRequests${isDaily ? "PerDay" : "PerMinute"}PerProjectPerModel-FreeTier`;
    const quotaMetric = "generativelanguage.googleapis.com/generate_content_free_tier_requests";
    return {
      status: 429,
      headers: {},
      body: {
        error: {
          code: 429,
          message: `You exceeded your current quota, please check your plan and billing details. Please retry in ${retryDelay}.`,
          status: "RESOURCE_EXHAUSTED",
          details: [
            {
              "@type": "type.googleapis.com/google.rpc.QuotaFailure",
              violations: [
                {
                  quotaMetric,
                  quotaId,
                  quotaDimensions: { location: "global", model },
                  quotaValue: String(window.limit),
                },
              ],
            },
            {
              "@type": "type.googleapis.com/google.rpc.Help",
              links: [
                {
                  description: "Learn more about Gemini API quotas",
                  url: "https://ai.google.dev/gemini-api/docs/rate-limits",
                },
              ],
            },
            { "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay },
          ],
        },
      },
    };
  },
};
