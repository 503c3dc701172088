import { describe, test } from "vitest";
import { expectSignals, type SignalRow } from "./signalRow.js";

const NOON = "2026-03-04T12:00:00Z";
const codex = { provider: "codex", receivedAt: NOON };
const claude = { provider: "anthropic", receivedAt: NOON };
const openai = { provider: "openai", receivedAt: NOON };

const window = (slot: string, said: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(said).map(([name, value]) => [`x-codex-${slot}-${name}`, value]));
const unified = (said: Record<string, string>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(said).map(([name, value]) => [`anthropic-ratelimit-unified-${name}`, value]),
  );
const tokens = (said: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(said).map(([part, value]) => [`x-ratelimit-${part}-tokens`, value]));

describe("the headers of Codex", () => {
  test.each<[string, SignalRow]>([
    [
      "name their windows by length; a refusal's header and body are a second apart",
      {
        provider: "codex",
        status: 429,
        receivedAt: "2026-05-04T19:24:55Z",
        headers: {
          "X-Codex-Primary-Used-Percent": "100",
          "X-Codex-Primary-Window-Minutes": "300",
          "X-Codex-Primary-Reset-After-Seconds": "13873",
          "X-Codex-Primary-Reset-At": "1777936568",
          "X-Codex-Secondary-Used-Percent": "80",
          "X-Codex-Secondary-Window-Minutes": "10080",
          "X-Codex-Secondary-Reset-After-Seconds": "316705",
          "X-Codex-Secondary-Reset-At": "1778239400",
          "X-Codex-Credits-Has-Credits": "False",
          "X-Codex-Credits-Balance": "0",
        },
        body: { error: { type: "usage_limit_reached", resets_at: 1777936568, resets_in_seconds: 13872 } },
        readings: [
          { unit: "percent", window: "5h", utilization: 1, resetsAt: "2026-05-04T23:16:08Z" },
          { unit: "percent", window: "weekly", utilization: 0.8, resetsAt: "2026-05-08T11:23:20Z" },
        ],
        retryAfterMs: 13_872_000,
      },
    ],
    [
      "have their windows in either slot",
      {
        ...codex,
        headers: {
          ...window("primary", { "used-percent": "7", "window-minutes": "10080" }),
          ...window("secondary", { "used-percent": "9", "window-minutes": "300" }),
        },
        readings: [
          { window: "weekly", utilization: 0.07 },
          { window: "5h", utilization: 0.09 },
        ],
      },
    ],
    [
      "round lengths down by a minute",
      {
        ...codex,
        headers: {
          ...window("primary", { "used-percent": "7", "window-minutes": "299" }),
          ...window("secondary", { "used-percent": "9", "window-minutes": "10079" }),
        },
        readings: [
          { window: "5h", utilization: 0.07 },
          { window: "weekly", utilization: 0.09 },
        ],
      },
    ],
    [
      "have months of 28 to 31 days, and windows that are nobody else's",
      {
        ...codex,
        headers: {
          ...window("primary", { "used-percent": "7", "window-minutes": "44640" }),
          ...window("secondary", { "used-percent": "9", "window-minutes": "720" }),
        },
        readings: [{ window: "monthly" }, { window: "12h" }],
      },
    ],
    [
      "mean 1 % by 1",
      {
        ...codex,
        headers: window("primary", { "used-percent": "1", "window-minutes": "300" }),
        readings: [{ window: "5h", utilization: 0.01, source: "x-codex-primary-used-percent" }],
      },
    ],
    [
      "have empty slots, which are no readings",
      {
        ...codex,
        headers: {
          ...window("primary", { "used-percent": "7", "window-minutes": "300" }),
          ...window("secondary", { "used-percent": "0", "window-minutes": "0", "reset-at": "0" }),
        },
        readings: [{ window: "5h" }],
      },
    ],
    [
      "are not read where a percentage has no window",
      {
        ...codex,
        headers: window("primary", { "used-percent": "70" }),
        readings: [],
        notes: ["x-codex-primary-used-percent names no length"],
      },
    ],
    [
      "tell limits of a model apart from the account's",
      {
        ...codex,
        headers: {
          ...window("secondary", { "used-percent": "3", "window-minutes": "300" }),
          ...window("swiftfox-primary", { "used-percent": "88", "window-minutes": "10080" }),
          "x-codex-swiftfox-limit-name": "gpt-swift",
          ...window("review-secondary", { "used-percent": "5", "window-minutes": "300" }),
        },
        readings: [
          { window: "5h", utilization: 0.03 },
          { window: "5h", utilization: 0.05, scope: "review" },
          { window: "weekly", utilization: 0.88, scope: "gpt-swift" },
        ],
      },
    ],
    [
      "are believed by the time from now where a clock lies",
      {
        ...codex,
        headers: window("primary", {
          "used-percent": "7",
          "window-minutes": "300",
          "reset-at": String(Date.parse("2026-03-04T16:00:00Z") / 1000),
          "reset-after-seconds": "3600",
        }),
        readings: [{ window: "5h", resetsAt: "2026-03-04T13:00:00Z" }],
        notes: ["x-codex-primary-reset-at and the time until then disagree"],
      },
    ],
    [
      "are believed by the date where the two agree, for it does not waver",
      {
        ...codex,
        headers: window("primary", {
          "used-percent": "7",
          "window-minutes": "300",
          "reset-at": String(Date.parse("2026-03-04T13:00:30Z") / 1000),
          "reset-after-seconds": "3600",
        }),
        readings: [{ window: "5h", resetsAt: "2026-03-04T13:00:30Z" }],
      },
    ],
    [
      "may have their date in milliseconds",
      {
        ...codex,
        headers: window("primary", {
          "used-percent": "7",
          "window-minutes": "300",
          "reset-at": String(Date.parse("2026-03-04T13:00:30Z")),
        }),
        readings: [{ window: "5h", resetsAt: "2026-03-04T13:00:30Z" }],
      },
    ],
    [
      "never reset later than the window is long",
      {
        ...codex,
        headers: window("primary", {
          "used-percent": "7",
          "window-minutes": "300",
          "reset-after-seconds": "600000",
        }),
        readings: [{ window: "5h", resetsAt: "2026-03-04T17:00:00Z" }],
        notes: ["x-codex-primary-reset-after-seconds is further away than the window is long"],
      },
    ],
    [
      "never reset in the past",
      {
        ...codex,
        headers: window("primary", {
          "used-percent": "7",
          "window-minutes": "300",
          "reset-at": String(Date.parse("2026-03-04T11:00:00Z") / 1000),
        }),
        readings: [{ window: "5h" }],
        notes: ["x-codex-primary-reset-at has passed"],
      },
    ],
    [
      "may go above 100 %",
      {
        ...codex,
        headers: window("primary", { "used-percent": "104.5", "window-minutes": "300" }),
        readings: [{ window: "5h", utilization: 1.045 }],
      },
    ],
    ...["abc", "-3", "NaN", "Infinity", "0x10", "1e308", "9".repeat(100_000), "7%"].map(
      (nonsense): [string, SignalRow] => [
        `are no reading where they say ${nonsense.slice(0, 12)}`,
        {
          ...codex,
          headers: window("primary", { "used-percent": nonsense, "window-minutes": "300" }),
          readings: [],
          notes: ["x-codex-primary-used-percent"],
        },
      ],
    ),
    [
      "are no reading where the window is endless",
      {
        ...codex,
        headers: window("primary", { "used-percent": "7", "window-minutes": "1e300" }),
        readings: [],
        notes: ["x-codex-primary-used-percent belongs to a window of no believable length"],
      },
    ],
    [
      "count once, the first time, where they stand there twice",
      {
        ...codex,
        headers: {
          ...window("primary", { "used-percent": "7", "window-minutes": "300, 300" }),
          "X-Codex-Primary-Used-Percent": ["9", "9"],
        },
        readings: [{ window: "5h", utilization: 0.07 }],
        notes: ["x-codex-primary-used-percent has several values"],
      },
    ],
  ])("%s", (_, row) => {
    expectSignals(row);
  });
});

describe("a refusal of Codex", () => {
  const refusal = (said: object): object => ({ error: { type: "usage_limit_reached", ...said } });

  test.each<[string, SignalRow]>([
    [
      "fills the window with its reset, though that says 99 %",
      {
        ...codex,
        status: 429,
        headers: {
          ...window("primary", {
            "used-percent": "40",
            "window-minutes": "300",
            "reset-after-seconds": "60",
          }),
          ...window("secondary", {
            "used-percent": "99",
            "window-minutes": "10080",
            "reset-after-seconds": "86401",
          }),
        },
        body: refusal({ resets_in_seconds: 86_400 }),
        readings: [
          { window: "5h", utilization: 0.4, resetsAt: "2026-03-04T12:01:00Z" },
          { window: "weekly", utilization: 1, resetsAt: "2026-03-05T12:00:01Z" },
        ],
        retryAfterMs: 86_400_000,
      },
    ],
    [
      "of a model leaves the account's windows alone",
      {
        ...codex,
        status: 429,
        headers: {
          ...window("primary", {
            "used-percent": "40",
            "window-minutes": "300",
            "reset-after-seconds": "600",
          }),
          ...window("swiftfox-primary", {
            "used-percent": "99",
            "window-minutes": "300",
            "reset-after-seconds": "7201",
          }),
        },
        body: refusal({ resets_in_seconds: 7200 }),
        readings: [
          { window: "5h", utilization: 0.4, resetsAt: "2026-03-04T12:10:00Z" },
          { window: "5h", utilization: 1, resetsAt: "2026-03-04T14:00:01Z", scope: "swiftfox" },
        ],
        retryAfterMs: 7_200_000,
      },
    ],
    [
      "names no window where no header does",
      {
        ...codex,
        status: 429,
        body: refusal({ resets_at: Date.parse("2026-03-04T14:00:00Z") / 1000 }),
        readings: [{ unit: "percent", window: null, utilization: 1, resetsAt: "2026-03-04T14:00:00Z" }],
        retryAfterMs: 7_200_000,
      },
    ],
    [
      "is full as long as it asks to wait, if it says nothing else",
      {
        ...codex,
        status: 429,
        headers: { "Retry-After": "90" },
        body: refusal({}),
        readings: [{ window: null, utilization: 1, resetsAt: "2026-03-04T12:01:30Z" }],
        retryAfterMs: 90_000,
      },
    ],
  ])("%s", (_, row) => {
    expectSignals(row);
  });
});

describe("the headers of an Anthropic subscription", () => {
  test.each<[string, SignalRow]>([
    [
      "are fractions, with resets in RFC 3339",
      {
        provider: "anthropic",
        receivedAt: "2026-09-17T08:00:00Z",
        headers: unified({
          status: "allowed",
          "5h-utilization": "0.42",
          "5h-reset": "2026-09-17T09:13:32Z",
          "7d-utilization": "0.30",
          "7d-reset": "2026-09-23T05:25:11Z",
        }),
        readings: [
          { unit: "percent", window: "5h", utilization: 0.42, resetsAt: "2026-09-17T09:13:32Z" },
          { unit: "percent", window: "weekly", utilization: 0.3, resetsAt: "2026-09-23T05:25:11Z" },
        ],
      },
    ],
    [
      "are fractions, with resets as epochs in seconds",
      {
        provider: "anthropic",
        receivedAt: "2026-09-21T11:00:00Z",
        headers: unified({
          status: "allowed",
          "5h-utilization": "0.42",
          "5h-reset": "1789999800",
          "7d-utilization": "0.30",
          "7d-reset": "1790002800",
        }),
        readings: [
          { window: "5h", utilization: 0.42, resetsAt: "2026-09-21T14:10:00Z" },
          { window: "weekly", utilization: 0.3, resetsAt: "2026-09-21T15:00:00Z" },
        ],
      },
    ],
    [
      "mean 100 % by 1, and more by more",
      {
        ...claude,
        headers: unified({ "5h-utilization": "1", "7d-utilization": "1.07" }),
        readings: [
          { window: "5h", utilization: 1 },
          { window: "weekly", utilization: 1.07 },
        ],
      },
    ],
    [
      "have other windows, which keep their names",
      {
        ...claude,
        headers: unified({
          status: "allowed_warning",
          "5h-utilization": "0.1",
          "5h-status": "allowed",
          "5h-surpassed-threshold": "0.75",
          "7d_quick-utilization": "0.8",
          "7d_quick-reset": "2026-03-08T12:00:00Z",
          "overage-utilization": "0.2",
          "overage-status": "allowed",
          "1h-utilization": "0.3",
          "fallback-percentage": "0.5",
        }),
        readings: [
          { window: "5h", utilization: 0.1 },
          { window: "1h", utilization: 0.3 },
          { window: "7d_quick", utilization: 0.8, resetsAt: "2026-03-08T12:00:00Z", scope: "quick" },
          { window: "overage", utilization: 0.2, scope: "overage" },
        ],
      },
    ],
    [
      "fill the window that a refusal names, until its reset",
      {
        ...claude,
        status: 429,
        headers: unified({
          status: "rejected",
          "representative-claim": "five_hour",
          reset: "2026-03-04T15:00:00Z",
          "5h-utilization": "0.98",
          "7d-utilization": "0.4",
          "7d-status": "allowed",
          "overage-status": "rejected",
          "overage-disabled-reason": "org_level_disabled",
        }),
        readings: [
          { window: "5h", utilization: 1, resetsAt: "2026-03-04T15:00:00Z" },
          { window: "weekly", utilization: 0.4 },
        ],
      },
    ],
    [
      "fill a window whose own status is rejected, until retry-after if nothing else says when",
      {
        ...claude,
        status: 429,
        headers: { ...unified({ "7d-status": "rejected", "5h-utilization": "0.2" }), "retry-after": "600" },
        readings: [
          { window: "5h", utilization: 0.2 },
          {
            window: "weekly",
            utilization: 1,
            resetsAt: "2026-03-04T12:10:00Z",
            source: "anthropic-ratelimit-unified-7d-status",
          },
        ],
        retryAfterMs: 600_000,
      },
    ],
    [
      "fill nothing but a model's window where the refusal names that",
      {
        ...claude,
        status: 429,
        headers: unified({
          status: "rejected",
          "representative-claim": "seven_day_opus",
          "5h-utilization": "0.2",
        }),
        readings: [
          { window: "5h", utilization: 0.2 },
          { window: "7d_opus", utilization: 1, scope: "opus" },
        ],
      },
    ],
    [
      "fill nothing but the overage where the refusal names that",
      {
        ...claude,
        status: 429,
        headers: unified({ status: "rejected", "representative-claim": "overage", "7d-utilization": "0.2" }),
        readings: [
          { window: "weekly", utilization: 0.2 },
          { window: "overage", utilization: 1, scope: "overage" },
        ],
      },
    ],
    [
      "fill nothing where the answer is no refusal",
      {
        ...claude,
        headers: unified({
          status: "rejected",
          "representative-claim": "five_hour",
          "5h-utilization": "0.97",
          "5h-status": "rejected",
        }),
        readings: [{ window: "5h", utilization: 0.97 }],
      },
    ],
    [
      "convert an offset, and never strip it",
      {
        ...claude,
        receivedAt: "2026-07-31T12:00:00Z",
        headers: unified({ "5h-utilization": "0.5", "5h-reset": "2026-08-01T00:00:00+09:00" }),
        readings: [{ window: "5h", utilization: 0.5, resetsAt: "2026-07-31T15:00:00Z" }],
      },
    ],
    ...[
      "2026-02-30T00:00:00Z",
      "tomorrow",
      "2026-03-04",
      "2026-03-04T25:00:00Z",
      "2026-03-04T13:00:00+99:00",
    ].map((nonsense): [string, SignalRow] => [
      `have no reset that is ${nonsense}`,
      {
        ...claude,
        headers: unified({ "5h-utilization": "0.5", "5h-reset": nonsense }),
        readings: [{ window: "5h" }],
        notes: ["anthropic-ratelimit-unified-5h-reset"],
      },
    ]),
  ])("%s", (_, row) => {
    expectSignals(row);
  });
});

describe("the headers of an Anthropic API key", () => {
  const limit = (kind: string, said: Record<string, string>): Record<string, string> =>
    Object.fromEntries(
      Object.entries(said).map(([part, value]) => [`anthropic-ratelimit-${kind}-${part}`, value]),
    );

  test.each<[string, SignalRow]>([
    [
      "count by the tightest limit of tokens, with its reset",
      {
        provider: "anthropic",
        status: 429,
        receivedAt: "2025-04-30T13:31:10Z",
        headers: {
          ...limit("input-tokens", { limit: "100000", remaining: "0", reset: "2025-04-30T13:32:11Z" }),
          ...limit("output-tokens", { limit: "20000", remaining: "20000", reset: "2025-04-30T13:31:10Z" }),
          ...limit("requests", { limit: "1000", remaining: "1000", reset: "2025-04-30T13:31:10Z" }),
          ...limit("tokens", { limit: "120000", remaining: "20000", reset: "2025-04-30T13:31:10Z" }),
          "retry-after": "4",
          "x-should-retry": "true",
          date: "Wed, 30 Apr 2025 13:31:10 GMT",
        },
        readings: [
          {
            unit: "tokens",
            window: null,
            utilization: 1,
            limit: 100_000,
            remaining: 0,
            resetsAt: "2025-04-30T13:32:11Z",
          },
          { unit: "requests", window: null, utilization: 0, limit: 1000, remaining: 1000 },
        ],
        retryAfterMs: 4000,
      },
    ],
    [
      "count, of limits that are as tight, the one that resets last",
      {
        ...claude,
        headers: {
          ...limit("tokens", { limit: "100", remaining: "50", reset: "2026-03-04T12:00:10Z" }),
          ...limit("output-tokens", { limit: "20", remaining: "10", reset: "2026-03-04T12:00:20Z" }),
        },
        readings: [
          { unit: "tokens", window: null, utilization: 0.5, limit: 20, resetsAt: "2026-03-04T12:00:20Z" },
        ],
      },
    ],
    [
      "are no reading where a limit is 0, or nothing says what is left",
      {
        ...claude,
        headers: {
          ...limit("tokens", { limit: "0", remaining: "0" }),
          ...limit("requests", { limit: "50" }),
        },
        readings: [],
      },
    ],
  ])("%s", (_, row) => {
    expectSignals(row);
  });
});

describe("the headers of OpenAI and its like", () => {
  test.each<[string, SignalRow]>([
    [
      "count requests and tokens; other names are not of these limits",
      {
        provider: "openai",
        receivedAt: "2026-06-24T12:00:00Z",
        headers: {
          "x-ratelimit-limit-requests": "60",
          "x-ratelimit-limit-tokens": "150000",
          "x-ratelimit-remaining-requests": "59",
          "x-ratelimit-remaining-tokens": "149984",
          "x-ratelimit-reset-requests": "1s",
          "x-ratelimit-reset-tokens": "6m0s",
          "x-ratelimit-remaining-tokens_usage_based": "3",
        },
        readings: [
          {
            unit: "requests",
            window: null,
            utilization: 1 / 60,
            limit: 60,
            remaining: 59,
            resetsAt: "2026-06-24T12:00:01Z",
          },
          {
            unit: "tokens",
            window: null,
            utilization: 16 / 150_000,
            limit: 150_000,
            remaining: 149_984,
            resetsAt: "2026-06-24T12:06:00Z",
          },
        ],
      },
    ],
    ...(
      [
        ["6m0s", 360_000],
        ["1s", 1000],
        ["12ms", 12],
        ["9ms", 9],
        ["2m30.5s", 150_500],
        ["500ms", 500],
        ["1.1s", 1100],
        ["7.66s", 7660],
        ["1h0m3s", 3_603_000],
        ["1d2h", 93_600_000],
        ["900µs", 1],
        ["46", 46_000],
        ["0.5", 500],
        ["33011.382867", 33_011_383],
      ] as const
    ).map(([said, ms]): [string, SignalRow] => [
      `reset after ${ms} ms where they say ${said}`,
      {
        ...openai,
        headers: tokens({ limit: "10", remaining: "4", reset: said }),
        readings: [{ unit: "tokens", window: null, resetsAt: new Date(Date.parse(NOON) + ms).toISOString() }],
      },
    ]),
    ...["6 minutes", "m6", "1s2", "1.2.3s", "-5s", "5S", "1777936568", "∞"].map(
      (nonsense): [string, SignalRow] => [
        `have no reset that is ${nonsense}`,
        {
          ...openai,
          headers: tokens({ limit: "10", remaining: "4", reset: nonsense }),
          readings: [{ window: null, utilization: 0.6 }],
          notes: ["x-ratelimit-reset-tokens"],
        },
      ],
    ),
    [
      "are read as nothing where Azure reports nothing",
      {
        provider: "azure",
        receivedAt: NOON,
        headers: {
          "x-ratelimit-limit-requests": "-1",
          "x-ratelimit-remaining-requests": "-1",
          "x-ratelimit-remaining-tokens": "4000",
          ...tokens({ limit: "5000", reset: "-1" }),
        },
        readings: [{ unit: "tokens", window: null, utilization: 0.2 }],
      },
    ],
    [
      "clamp more left than there was to nothing used",
      {
        ...openai,
        headers: tokens({ limit: "10", remaining: "14" }),
        readings: [{ window: null, utilization: 0, remaining: 10 }],
      },
    ],
    [
      "name windows where Cerebras speaks",
      {
        provider: "cerebras",
        receivedAt: NOON,
        headers: {
          "x-ratelimit-limit-requests-day": "14400",
          "x-ratelimit-remaining-requests-day": "7200",
          "x-ratelimit-reset-requests-day": "33011.382867",
          "x-ratelimit-limit-tokens-minute": "60000",
          "x-ratelimit-remaining-tokens-minute": "15000",
          "x-ratelimit-reset-tokens-minute": "11.4",
        },
        readings: [
          { unit: "tokens", window: "1m", utilization: 0.75, resetsAt: "2026-03-04T12:00:11.400Z" },
          { unit: "requests", window: "daily", utilization: 0.5, resetsAt: "2026-03-04T21:10:11.383Z" },
        ],
      },
    ],
    [
      "are no reading where they are no numbers",
      {
        ...openai,
        headers: tokens({ limit: "many", remaining: "4" }),
        readings: [],
        notes: ["x-ratelimit-limit-tokens"],
      },
    ],
    [
      "of OpenRouter count requests, with the reset in milliseconds",
      {
        provider: "openrouter",
        receivedAt: NOON,
        headers: {
          "X-RateLimit-Limit": "50",
          "X-RateLimit-Remaining": "10",
          "X-RateLimit-Reset": String(Date.parse("2026-03-05T00:00:00Z")),
        },
        readings: [
          {
            unit: "requests",
            window: null,
            utilization: 0.8,
            limit: 50,
            remaining: 10,
            resetsAt: "2026-03-05T00:00:00Z",
          },
        ],
      },
    ],
  ])("%s", (_, row) => {
    expectSignals(row);
  });
});

describe("retry-after", () => {
  const wait = (headers: Record<string, string>, more: Partial<SignalRow> = {}): SignalRow => ({
    ...openai,
    status: 429,
    headers,
    readings: [],
    ...more,
  });

  test.each<[string, SignalRow]>([
    ["is seconds", wait({ "Retry-After": "20" }, { retryAfterMs: 20_000 })],
    ["may have been sent twice", wait({ "retry-after": "20, 20" }, { retryAfterMs: 20_000 })],
    ["may be 0", wait({ "retry-after": "0" }, { retryAfterMs: 0 })],
    ["may have a fraction", wait({ "retry-after": "1.5" }, { retryAfterMs: 1500 })],
    [
      "is told more exactly in milliseconds",
      wait({ "retry-after": "2", "retry-after-ms": "1234.2" }, { retryAfterMs: 1235 }),
    ],
    ["may be a date", wait({ "retry-after": "Wed, 04 Mar 2026 12:01:00 GMT" }, { retryAfterMs: 60_000 })],
    [
      "may be a date as it was written long ago",
      wait({ "retry-after": "Wednesday, 04-Mar-26 12:01:00 GMT" }, { retryAfterMs: 60_000 }),
    ],
    [
      "may be a date as C writes it",
      wait({ "retry-after": "Wed Mar  4 12:01:00 2026" }, { retryAfterMs: 60_000 }),
    ],
    [
      "counts a date from the answer's own, whose clock may lie",
      wait(
        { date: "Wed, 04 Mar 2026 10:00:00 GMT", "retry-after": "Wed, 04 Mar 2026 10:00:30 GMT" },
        { retryAfterMs: 30_000 },
      ),
    ],
    [
      "is no wait where the date has passed",
      wait({ "retry-after": "Wed, 04 Mar 2026 11:00:00 GMT" }, { retryAfterMs: 0 }),
    ],
    ...["soon", "-5", "1e308", "Wed, 32 Mar 2026 12:00:00 GMT", " ,,, "].map(
      (nonsense): [string, SignalRow] => [
        `asks for nothing where it says ${nonsense}`,
        wait({ "retry-after": nonsense }, { notes: ["retry-after"] }),
      ],
    ),
    [
      "is read in seconds where its milliseconds are nonsense",
      wait({ "retry-after": "3", "retry-after-ms": "x" }, { retryAfterMs: 3000, notes: ["retry-after-ms"] }),
    ],
  ])("%s", (_, row) => {
    expectSignals(row);
  });
});
