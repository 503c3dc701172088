import { describe, test } from "vitest";
import { expectSignals, type SignalRow } from "./signalRow.js";

const NOON = "2026-03-04T12:00:00Z";
const ms = (date: string): number => Date.parse(date);

describe("the usage endpoint of Codex", () => {
  const codex = { provider: "codex", receivedAt: NOON };

  test.each<[string, SignalRow]>([
    [
      "names windows by their seconds; other limits are not the account's",
      {
        ...codex,
        body: {
          plan_type: "pro",
          rate_limit: {
            allowed: true,
            limit_reached: false,
            primary_window: {
              used_percent: 3,
              limit_window_seconds: 18_000,
              reset_after_seconds: 3600,
              reset_at: ms("2026-03-04T13:00:00Z") / 1000,
            },
            secondary_window: {
              used_percent: "41.5",
              limit_window_seconds: 604_800,
              reset_after_seconds: 86_400,
              reset_at: ms("2026-03-05T12:00:01Z") / 1000,
            },
          },
          code_review_rate_limit: { primary_window: { used_percent: 1, limit_window_seconds: 604_800 } },
          additional_rate_limits: [
            {
              limit_name: "Quick",
              metered_feature: "codex_quick",
              rate_limit: { primary_window: { used_percent: 100, limit_window_seconds: 18_000 } },
            },
            { metered_feature: "codex_slow", rate_limit: null },
          ],
          credits: { has_credits: false, balance: "0" },
        },
        readings: [
          { unit: "percent", window: "5h", utilization: 0.03, resetsAt: "2026-03-04T13:00:00Z" },
          { unit: "percent", window: "weekly", utilization: 0.415, resetsAt: "2026-03-05T12:00:01Z" },
          { window: "weekly", utilization: 0.01, scope: "code_review" },
          { window: "5h", utilization: 1, scope: "Quick" },
        ],
      },
    ],
    [
      "has empty slots",
      {
        ...codex,
        body: {
          rate_limit: {
            primary_window: null,
            secondary_window: { used_percent: 0, limit_window_seconds: 0, reset_after_seconds: 0 },
          },
        },
        readings: [],
      },
    ],
    [
      "is not read in what other providers say",
      {
        provider: "openai",
        receivedAt: NOON,
        body: { rate_limit: { primary_window: { used_percent: 3, limit_window_seconds: 18_000 } } },
        readings: [],
      },
    ],
  ])("%s", (_, row) => {
    expectSignals(row);
  });
});

describe("the usage endpoint of Claude", () => {
  test.each<[string, SignalRow]>([
    [
      "tells percent where the headers tell fractions, and keeps the names of windows that are not the account's",
      {
        provider: "claude-code",
        receivedAt: NOON,
        body: {
          five_hour: { utilization: 1, resets_at: "2026-03-04T14:59:59.571404+00:00" },
          seven_day: { utilization: 36.5, resets_at: "2026-03-08T02:00:00.571468-05:00" },
          seven_day_opus: { utilization: 12, resets_at: null },
          seven_day_oauth_apps: null,
          extra_usage: { is_enabled: true, monthly_limit: 5000, used_credits: 1250, utilization: 25 },
        },
        readings: [
          { unit: "percent", window: "5h", utilization: 0.01, resetsAt: "2026-03-04T14:59:59.571Z" },
          { unit: "percent", window: "weekly", utilization: 0.365, resetsAt: "2026-03-08T07:00:00.571Z" },
          { unit: "percent", window: "7d_opus", utilization: 0.12, scope: "opus" },
          { unit: "usd", window: "monthly", utilization: 0.25, limit: 50, remaining: 37.5, scope: "overage" },
        ],
      },
    ],
    [
      "has an overage that is off, or without end",
      {
        provider: "anthropic",
        receivedAt: NOON,
        body: {
          five_hour: { utilization: null, resets_at: null },
          extra_usage: { is_enabled: true, monthly_limit: 0, used_credits: 1250 },
        },
        readings: [],
      },
    ],
    [
      "is not read in an answer of a model",
      {
        provider: "anthropic",
        receivedAt: NOON,
        body: { type: "message", content: [], usage: { input_tokens: 5, output_tokens: 6 } },
        readings: [],
      },
    ],
  ])("%s", (_, row) => {
    expectSignals(row);
  });
});

describe("the usage endpoint of Kimi", () => {
  const minutes = { duration: 300, timeUnit: "TIME_UNIT_MINUTE" };

  test.each<[string, SignalRow]>([
    [
      "has numbers as strings, a use that is missing, and a limit of 0 beside a ratio",
      {
        provider: "kimi",
        receivedAt: "2026-09-22T00:00:00Z",
        body: {
          usage: { limit: "100", remaining: "100", resetTime: "2026-09-26T12:32:15.376980Z" },
          limits: [{ window: minutes, detail: { limit: "0", used: "0", remaining: "0" } }],
          usages: { limit_5h: { used_ratio: 0.3, reset_time: "2026-09-22T04:32:14Z" } },
        },
        readings: [
          {
            unit: "requests",
            window: "weekly",
            utilization: 0,
            limit: 100,
            remaining: 100,
            resetsAt: "2026-09-26T12:32:15.376Z",
          },
          { unit: "requests", window: "5h", utilization: 0.3, resetsAt: "2026-09-22T04:32:14Z" },
        ],
      },
    ],
    [
      "has each window once, though it says two of them twice",
      {
        provider: "kimi-for-coding",
        receivedAt: "2026-09-18T10:00:00Z",
        body: {
          usage: { limit: "100", used: "7", remaining: "93", resetTime: "2026-09-22T12:53:21Z" },
          limits: [
            { window: minutes, detail: { limit: "100", used: "1", resetTime: "2026-09-18T13:53:21Z" } },
          ],
          usages: {
            limit_5h: { used_ratio: 0.005, reset_time: "2026-09-18T13:53:19Z" },
            limit_7d: { used_ratio: 0.067, reset_time: "2026-09-22T12:53:20Z" },
            limit_month_total: { used_ratio: 0.1 },
            limit_month_code: { used_ratio: 0.4 },
          },
        },
        readings: [
          { window: "weekly", utilization: 0.07, resetsAt: "2026-09-22T12:53:21Z" },
          { window: "5h", utilization: 0.01, resetsAt: "2026-09-18T13:53:21Z" },
          { window: "monthly", utilization: 0.1 },
          { window: "monthly", utilization: 0.4, scope: "code" },
        ],
      },
    ],
    [
      "may leave out what is 0, on either side",
      {
        provider: "kimi",
        receivedAt: NOON,
        body: {
          usage: { limit: "40", used: "40" },
          limits: [{ window: minutes, detail: { limit: "8", remaining: 2 } }],
        },
        readings: [
          { window: "weekly", utilization: 1, remaining: 0 },
          { window: "5h", utilization: 0.75 },
        ],
      },
    ],
    [
      "is the same in the console, by feature",
      {
        provider: "kimi",
        receivedAt: NOON,
        body: {
          usages: [
            { scope: "FEATURE_CHAT", detail: { limit: "1", used: "1" } },
            {
              scope: "FEATURE_CODING",
              detail: { limit: "2048", used: "512" },
              limits: [{ window: minutes, detail: { limit: "200", used: "50" } }],
            },
          ],
        },
        readings: [
          { window: "weekly", utilization: 0.25, limit: 2048 },
          { window: "5h", utilization: 0.25, limit: 200 },
        ],
      },
    ],
    [
      "is not guessed at where the window has no length",
      {
        provider: "kimi",
        receivedAt: NOON,
        body: {
          limits: [{ window: { duration: 5, timeUnit: "TIME_UNIT_MOON" }, detail: { limit: 9, used: 3 } }],
        },
        readings: [],
        notes: ["limits[0].window names no length"],
      },
    ],
  ])("%s", (_, row) => {
    expectSignals(row);
  });
});

describe("the usage endpoint of GLM", () => {
  const glm = (limits: unknown, more: Partial<SignalRow> & Pick<SignalRow, "readings">): SignalRow => ({
    provider: "glm",
    receivedAt: NOON,
    body: { code: 200, success: true, data: { level: "pro", limits } },
    ...more,
  });

  test.each<[string, SignalRow]>([
    [
      "calls its limit usage, and names windows by unit and number",
      glm(
        [
          {
            type: "TOKENS_LIMIT",
            unit: 6,
            number: 7,
            percentage: 53,
            nextResetTime: ms("2026-03-06T00:00:00Z"),
          },
          {
            type: "TOKENS_LIMIT",
            unit: 3,
            number: 5,
            usage: 800_000_000,
            currentValue: 127_694_464,
            remaining: 672_305_536,
            percentage: 15,
            nextResetTime: ms("2026-03-04T14:30:00Z"),
          },
          {
            type: "TIME_LIMIT",
            unit: 5,
            number: 1,
            usage: 4000,
            currentValue: 1000,
            remaining: 3000,
            percentage: 25,
          },
        ],
        {
          readings: [
            { unit: "tokens", window: "weekly", utilization: 0.53, resetsAt: "2026-03-06T00:00:00Z" },
            {
              unit: "tokens",
              window: "5h",
              utilization: 127_694_464 / 800_000_000,
              limit: 800_000_000,
              remaining: 672_305_536,
              resetsAt: "2026-03-04T14:30:00Z",
            },
            { unit: "requests", window: "monthly", utilization: 0.25, limit: 4000, scope: "tools" },
          ],
        },
      ),
    ],
    [
      "means 1 % by 1, and counts no tokens in a plan of credits",
      glm(
        [
          {
            type: "CREDIT_LIMIT",
            unit: 3,
            number: 5,
            usage: 2000,
            currentValue: 17,
            remaining: 1982,
            percentage: 1,
          },
        ],
        { readings: [{ unit: "tokens", window: "5h", utilization: 17 / 2000 }] },
      ),
    ],
    [
      "is believed by the percentage where the counts contradict it",
      glm([{ type: "TOKENS_LIMIT", unit: 3, number: 5, usage: 1000, currentValue: 900, percentage: "12" }], {
        readings: [{ window: "5h", utilization: 0.12, source: "data.limits[0].percentage" }],
        notes: ["data.limits[0].currentValue and data.limits[0].percentage contradict each other"],
      }),
    ],
    [
      "has five hours where its only window is not named",
      glm([{ type: "TOKENS_LIMIT", percentage: 42, nextResetTime: "2026-03-04 22:30:00" }], {
        readings: [{ window: "5h", utilization: 0.42, resetsAt: "2026-03-04T14:30:00Z" }],
      }),
    ],
    [
      "is not guessed at where several windows are not named",
      glm(
        [
          { type: "TOKENS_LIMIT", percentage: 42 },
          { type: "TOKENS_LIMIT", percentage: 7 },
        ],
        { readings: [{ window: null }, { window: null }] },
      ),
    ],
    ["may be without its limits", glm(null, { readings: [] })],
  ])("%s", (_, row) => {
    expectSignals(row);
  });
});

describe("the usage endpoint of MiniMax", () => {
  const minimax = { provider: "minimax", receivedAt: "2026-04-01T00:00:00Z" };

  test.each<[string, SignalRow]>([
    [
      "calls what is left a usage count",
      {
        ...minimax,
        body: {
          current_interval_total_count: 1500,
          current_interval_usage_count: 1495,
          current_weekly_total_count: 15_000,
          current_weekly_usage_count: 14_530,
        },
        readings: [
          { window: "5h", utilization: 5 / 1500, limit: 1500, remaining: 1495 },
          { window: "weekly", utilization: 470 / 15_000, limit: 15_000, remaining: 14_530 },
        ],
      },
    ],
    [
      "may have more left than there was",
      {
        ...minimax,
        body: { current_interval_total_count: 1500, current_interval_usage_count: 1600 },
        readings: [{ window: "5h", utilization: 0, remaining: 1500 }],
      },
    ],
    [
      "has rows by model, of which one is the account's, and resets on two clocks",
      {
        ...minimax,
        body: {
          base_resp: { status_code: 0, status_msg: "success" },
          model_remains: [
            {
              model_name: "video",
              start_time: ms("2026-03-31T16:00:00Z"),
              end_time: ms("2026-04-01T16:00:00Z"),
              remains_time: 57_600_000,
              current_interval_total_count: 5,
              current_interval_usage_count: 4,
              current_weekly_status: 3,
              current_weekly_remaining_percent: 100,
            },
            {
              model_name: "general",
              start_time: ms("2026-03-31T21:00:00Z"),
              end_time: ms("2026-04-01T02:00:00Z"),
              remains_time: 7_200_000,
              current_interval_total_count: 0,
              current_interval_usage_count: 0,
              current_interval_remaining_percent: 83,
              current_weekly_status: 1,
              current_weekly_remaining_percent: 40,
              weekly_end_time: ms("2026-04-03T00:00:00Z"),
              weekly_remains_time: 86_400_000,
            },
          ],
        },
        readings: [
          { window: "daily", utilization: 0.2, limit: 5, scope: "video", resetsAt: "2026-04-01T16:00:00Z" },
          { window: "5h", utilization: 0.17, resetsAt: "2026-04-01T02:00:00Z" },
          { window: "weekly", utilization: 0.6, resetsAt: "2026-04-02T00:00:00Z" },
        ],
        notes: ["model_remains[1].weekly_end_time and the time until then disagree"],
      },
    ],
    [
      "may name its row for a model, and say nothing but that it is spent",
      {
        ...minimax,
        body: {
          data: {
            model_remains: [
              {
                model_name: "MiniMax-M9",
                current_interval_remaining_percent: "97.5",
                current_weekly_status: 2,
              },
            ],
          },
        },
        readings: [
          { window: "5h", utilization: 0.025 },
          { window: "weekly", utilization: 1 },
        ],
      },
    ],
    [
      "has times without a zone in China's",
      {
        ...minimax,
        body: {
          current_interval_total_count: 10,
          current_interval_usage_count: 4,
          end_time: "2026-04-01 10:30:00",
        },
        readings: [{ window: "5h", utilization: 0.6, resetsAt: "2026-04-01T02:30:00Z" }],
      },
    ],
  ])("%s", (_, row) => {
    expectSignals(row);
  });
});

describe("the usage endpoints of Bailian", () => {
  const info = {
    per5HourUsedQuota: 120,
    per5HourTotalQuota: 1200,
    per5HourQuotaNextRefreshTime: ms("2026-03-04T15:00:00Z"),
    perWeekUsedQuota: "4500",
    perWeekTotalQuota: "9000",
    perWeekQuotaNextRefreshTime: "2026-03-09 00:00:00",
    perBillMonthUsedQuota: 9000,
    perBillMonthTotalQuota: 18_000,
    perBillMonthQuotaNextRefreshTime: ms("2026-04-03T16:00:00Z"),
  };
  const instances = [
    { status: "EXPIRED", codingPlanQuotaInfo: { per5HourUsedQuota: 1, per5HourTotalQuota: 1 } },
    { status: "VALID", codingPlanQuotaInfo: info },
  ];

  test.each<[string, SignalRow]>([
    [
      "count requests, which are percent of the plan",
      {
        provider: "bailian",
        receivedAt: NOON,
        body: { code: "200", data: { DataV2: { data: { data: { codingPlanInstanceInfos: instances } } } } },
        readings: [
          { unit: "percent", window: "5h", utilization: 0.1, resetsAt: "2026-03-04T15:00:00Z" },
          { unit: "percent", window: "weekly", utilization: 0.5, resetsAt: "2026-03-08T16:00:00Z" },
          { unit: "percent", window: "monthly", utilization: 0.5, resetsAt: "2026-04-03T16:00:00Z" },
        ],
      },
    ],
    [
      "count requests as such where the plan does",
      {
        provider: "alibaba",
        receivedAt: NOON,
        body: { data: { codingPlanQuotaInfo: info } },
        readings: [
          { unit: "requests", window: "5h", limit: 1200, remaining: 1080, resetsAt: "2026-03-04T15:00:00Z" },
          {
            unit: "requests",
            window: "weekly",
            limit: 9000,
            remaining: 4500,
            resetsAt: "2026-03-08T16:00:00Z",
          },
          { unit: "requests", window: "monthly", limit: 18_000, resetsAt: "2026-04-03T16:00:00Z" },
        ],
      },
    ],
    [
      "tell fractions in fields called percentage, and leave out a window that is not open",
      {
        provider: "bailian",
        receivedAt: NOON,
        body: {
          data: {
            DataV2: {
              data: { data: { per1WeekPercentage: 1, per1WeekResetTime: ms("2026-03-09T12:00:00Z") } },
            },
          },
        },
        readings: [{ unit: "percent", window: "weekly", utilization: 1, resetsAt: "2026-03-09T12:00:00Z" }],
      },
    ],
  ])("%s", (_, row) => {
    expectSignals(row);
  });
});

describe("the key endpoint of OpenRouter", () => {
  const openrouter = { provider: "openrouter", receivedAt: NOON };

  test.each<[string, SignalRow]>([
    [
      "counts what is left of a limit that starts anew",
      {
        ...openrouter,
        body: {
          data: {
            limit: 100,
            limit_remaining: 74.5,
            limit_reset: "monthly",
            usage: 900,
            usage_monthly: 25.5,
          },
        },
        readings: [{ unit: "usd", window: "monthly", utilization: 0.255, limit: 100, remaining: 74.5 }],
      },
    ],
    [
      "counts all that was ever spent where the limit never starts anew",
      {
        ...openrouter,
        body: {
          data: { limit: 5, usage: 1, is_free_tier: false, rate_limit: { requests: -1, interval: "10s" } },
        },
        readings: [{ unit: "usd", window: null, utilization: 0.2, limit: 5, remaining: 4 }],
      },
    ],
    [
      "has no limit where it is null",
      { ...openrouter, body: { data: { limit: null, limit_remaining: null, usage: 12 } }, readings: [] },
    ],
    [
      "is not read in an answer of a model",
      {
        ...openrouter,
        body: { id: "gen-1", choices: [], usage: { prompt_tokens: 5, completion_tokens: 6 } },
        readings: [],
      },
    ],
  ])("%s", (_, row) => {
    expectSignals(row);
  });
});

describe("a refusal in a body", () => {
  const refused = (provider: string, error: object): SignalRow => ({
    provider,
    status: 429,
    receivedAt: NOON,
    body: { error },
    readings: [],
  });
  const retryInfo = (retryDelay: unknown): object => ({
    "@type": "type.googleapis.com/google.rpc.RetryInfo",
    retryDelay,
  });
  const spent = (quotaId: string, more: object = {}): object => ({
    "@type": "type.googleapis.com/google.rpc.QuotaFailure",
    violations: [{ quotaId, ...more }],
  });

  test.each<[string, SignalRow]>([
    [
      "of Gemini says how long to wait, with a fraction",
      {
        ...refused("gemini", {
          code: 429,
          status: "RESOURCE_EXHAUSTED",
          details: [retryInfo("45.837906927s")],
        }),
        headers: {},
        retryAfterMs: 45_838,
      },
    ],
    [
      "of Gemini may stand in a list",
      {
        ...refused("gemini", {}),
        body: [{ error: { code: 429, details: [retryInfo("26s")] } }],
        retryAfterMs: 26_000,
      },
    ],
    [
      "of Gemini may say longer in its message",
      {
        ...refused("gemini", {
          message: "You exceeded your quota. Please retry in 58.934310785s.",
          details: [retryInfo("58s")],
        }),
        retryAfterMs: 58_935,
      },
    ],
    [
      "of Gemini says nothing where the wait is nonsense",
      {
        ...refused("gemini", { details: [retryInfo("soon"), retryInfo({ seconds: "2", nanos: 5e8 })] }),
        retryAfterMs: 2500,
        notes: ["error.details.retryDelay"],
      },
    ],
    [
      "of Gemini's day lasts until midnight in California, whatever short wait stands beside it",
      {
        ...refused("gemini", {
          message: "Please retry in 26s.",
          details: [
            spent("GenerateRequestsPerDayPerProject-FreeTier", { quotaValue: "250" }),
            retryInfo("26s"),
          ],
        }),
        readings: [
          {
            unit: "requests",
            window: "daily",
            utilization: 1,
            limit: 250,
            remaining: 0,
            resetsAt: "2026-03-05T08:00:00Z",
          },
        ],
      },
    ],
    [
      "of Gemini's day and of one model is that model's",
      {
        ...refused("gemini", {
          details: [
            spent("GenerateContentInputTokensPerModelPerDay", {
              quotaDimensions: { location: "global", model: "gemini-9-flash" },
            }),
          ],
        }),
        receivedAt: "2026-07-01T06:00:00Z",
        readings: [
          {
            unit: "tokens",
            window: "daily",
            utilization: 1,
            resetsAt: "2026-07-01T07:00:00Z",
            scope: "gemini-9-flash",
          },
        ],
      },
    ],
    [
      "of Gemini's minute lasts as long as it asks to wait",
      {
        ...refused("gemini", {
          details: [spent("GenerateRequestsPerMinutePerProject", { quotaValue: 5 }), retryInfo("12s")],
        }),
        readings: [
          { unit: "requests", window: "1m", utilization: 1, limit: 5, resetsAt: "2026-03-04T12:00:12Z" },
        ],
        retryAfterMs: 12_000,
      },
    ],
    [
      "of Code Assist says when the quota starts anew",
      {
        ...refused("gemini-cli", {
          message: "You have exhausted your capacity on this model. Your quota will reset after 3h21m15s.",
          details: [{ reason: "QUOTA_EXHAUSTED", metadata: { quotaResetDelay: "539.477544ms" } }],
        }),
        retryAfterMs: 12_075_000,
      },
    ],
    [
      "of OpenAI says how long to wait in its message",
      {
        ...refused("openai", { message: "Rate limit reached on tokens per min. Please try again in 6m0s." }),
        retryAfterMs: 360_000,
      },
    ],
    [
      "says nothing of a wait in words",
      { ...refused("openai", { message: "Try again in 5 days, or retry in a while, or reset after it." }) },
    ],
    [
      "of OpenRouter carries the headers, and is of free models only",
      {
        ...refused("openrouter", {
          code: 429,
          message: "Rate limit exceeded: free-models-per-day. Add credits to unlock more.",
          metadata: {
            headers: {
              "X-RateLimit-Limit": "50",
              "X-RateLimit-Remaining": "0",
              "X-RateLimit-Reset": String(ms("2026-03-05T00:00:00Z")),
            },
          },
        }),
        readings: [
          {
            unit: "requests",
            window: "daily",
            utilization: 1,
            limit: 50,
            remaining: 0,
            resetsAt: "2026-03-05T00:00:00Z",
            scope: "free-models",
          },
        ],
      },
    ],
    [
      "of OpenRouter may carry no headers",
      {
        ...refused("openrouter", { message: "Rate limit exceeded: free-models-per-min." }),
        readings: [{ unit: "requests", window: "1m", utilization: 1, scope: "free-models" }],
      },
    ],
    [
      "of GLM names its window in words, and its reset in China's time",
      {
        ...refused("zai", {
          code: "1308",
          message: "Usage limit reached for 5 hour. Your limit will reset at 2026-03-04 22:24:36",
        }),
        readings: [{ unit: "tokens", window: "5h", utilization: 1, resetsAt: "2026-03-04T14:24:36Z" }],
        retryAfterMs: 8_676_000,
      },
    ],
    [
      "of GLM may be in Chinese",
      {
        ...refused("glm", {
          code: "1308",
          message: "已达到 5 小时的使用上限。您的限额将在 2026-03-04 22:24:36 重置。",
        }),
        readings: [{ window: "5h", utilization: 1, resetsAt: "2026-03-04T14:24:36Z" }],
        retryAfterMs: 8_676_000,
      },
    ],
    [
      "of GLM is of its week",
      {
        ...refused("glm", {
          code: "1310",
          message: "Weekly/Monthly Limit Exhausted. Your limit will reset at 2026-03-06T00:00:00Z.",
        }),
        readings: [{ window: "weekly", utilization: 1, resetsAt: "2026-03-06T00:00:00Z" }],
        retryAfterMs: 129_600_000,
      },
    ],
    [
      "of GLM that is a mere throttling fills nothing",
      { ...refused("glm", { code: "1302", message: "Rate limit reached for requests" }) },
    ],
    [
      "of MiniMax names its window and its reset",
      {
        ...refused("minimax", {
          type: "rate_limit_error",
          message:
            "usage limit exceeded, 5-hour usage limit reached for Token Plan (0/0 used), resets at 2026-03-04T15:00:00Z (2056)",
        }),
        readings: [{ unit: "tokens", window: "5h", utilization: 1, resetsAt: "2026-03-04T15:00:00Z" }],
        retryAfterMs: 10_800_000,
      },
    ],
    [
      "of Kimi names its window, and may be a 403",
      {
        ...refused("kimi", {
          type: "access_terminated_error",
          message:
            "You've reached your weekly (7-day) usage limit. Your quota will reset when the window ends.",
        }),
        status: 403,
        readings: [{ unit: "requests", window: "weekly", utilization: 1 }],
      },
    ],
    [
      "of Bailian names its window, and lasts as long as it asks to wait",
      {
        ...refused("bailian", { code: "throttling", message: "month allocated quota exceeded." }),
        headers: { "retry-after": "3600" },
        readings: [{ unit: "percent", window: "monthly", utilization: 1, resetsAt: "2026-03-04T13:00:00Z" }],
        retryAfterMs: 3_600_000,
      },
    ],
    [
      "of Alibaba is of requests",
      {
        ...refused("alibaba", { message: "hour allocated quota exceeded" }),
        readings: [{ unit: "requests", window: "5h", utilization: 1 }],
      },
    ],
    [
      "of one who is merely busy fills nothing",
      { ...refused("bailian", { message: "concurrency allocated quota exceeded" }) },
    ],
  ])("%s", (_, row) => {
    expectSignals(row);
  });
});
