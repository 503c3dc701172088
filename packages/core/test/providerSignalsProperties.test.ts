import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  readProviderSignals,
  UNITS,
  WINDOW_MS,
  type HeadersLike,
  type ProviderReading,
  type ProviderSignals,
} from "@quota/core";

const NOW = Date.UTC(2026, 2, 4, 12);
const DAY_MS = 86_400_000;

const PROVIDERS = [
  "codex",
  "anthropic",
  "openai",
  "azure",
  "openrouter",
  "gemini",
  "kimi",
  "glm",
  "minimax",
  "bailian",
  "alibaba",
  "nobody",
  "__proto__",
];

const anything = fc.oneof(
  fc.constantFrom("False", "1e308", "-1", "", "NaN", "6m0s", "99999999999999999999999999", "0", ","),
  fc.string(),
);
const often = (usual: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc.oneof({ weight: 8, arbitrary: usual }, { weight: 1, arbitrary: anything });

const count = often(fc.integer({ min: 0, max: 300 }).map(String));
const fraction = often(fc.double({ min: 0, max: 2, noNaN: true }).map(String));
const ahead = fc.integer({ min: -100_000, max: 9_000_000 });
const moment = often(
  fc.oneof(
    ahead.map((seconds) => String(NOW / 1000 + seconds)),
    ahead.map((seconds) => String(NOW + seconds * 1000)),
    ahead.map((seconds) => new Date(NOW + seconds * 1000).toISOString()),
  ),
);
const seconds = often(ahead.map(String));
const minutes = often(fc.constantFrom("300", "299", "10080", "43200", "1440", "60", "90.5", "0.37"));
const word = often(
  fc.constantFrom("rejected", "allowed", "five_hour", "seven_day", "seven_day_opus", "overage"),
);
const duration = often(fc.oneof(seconds, fc.constantFrom("6m0s", "1.5s", "12ms", "2m30.5s", "23h59m")));

/** The fields of one limit, all of them or some. */
type Group = Readonly<Record<string, fc.Arbitrary<string>>>;

const limit = (prefix: string, reset: fc.Arbitrary<string>): Group => ({
  [`${prefix}-limit`]: count,
  [`${prefix}-remaining`]: count,
  [`${prefix}-reset`]: reset,
});
const kindOf = (kind: string, reset: fc.Arbitrary<string>): Group => ({
  [`x-ratelimit-limit${kind}`]: count,
  [`x-ratelimit-remaining${kind}`]: count,
  [`x-ratelimit-reset${kind}`]: reset,
});

const GROUPS: readonly Group[] = [
  ...["primary", "secondary", "fox-primary", "constructor-secondary"].map((slot) => ({
    [`x-codex-${slot}-used-percent`]: count,
    [`x-codex-${slot}-window-minutes`]: minutes,
    [`x-codex-${slot}-reset-at`]: moment,
    [`x-codex-${slot}-reset-after-seconds`]: seconds,
  })),
  ...["5h", "7d", "7d_opus", "overage", "__proto__"].map((window) => ({
    [`anthropic-ratelimit-unified-${window}-utilization`]: fraction,
    [`anthropic-ratelimit-unified-${window}-reset`]: moment,
    [`anthropic-ratelimit-unified-${window}-status`]: word,
  })),
  {
    "anthropic-ratelimit-unified-status": word,
    "anthropic-ratelimit-unified-representative-claim": word,
    "anthropic-ratelimit-unified-reset": moment,
  },
  ...["requests", "tokens", "input-tokens", "output-tokens"].map((kind) =>
    limit(`anthropic-ratelimit-${kind}`, moment),
  ),
  ...["-requests", "-tokens", "-requests-day", "-tokens-minute"].map((kind) => kindOf(kind, duration)),
  kindOf("", moment),
  { "retry-after": seconds, "retry-after-ms": count, date: anything },
];

const headers = fc
  .tuple(
    ...GROUPS.map((group) =>
      fc.option(fc.record(group, { requiredKeys: Object.keys(group).slice(0, 2) }), { nil: {}, freq: 2 }),
    ),
  )
  .map((groups) => groups.flatMap((group) => Object.entries(group)));

/** Any value that a member of a body may have. */
const text = fc.oneof(count, fraction, moment, anything);

const FIELDS = [
  "rate_limit",
  "primary_window",
  "secondary_window",
  "used_percent",
  "limit_window_seconds",
  "reset_at",
  "reset_after_seconds",
  "additional_rate_limits",
  "five_hour",
  "seven_day_opus",
  "utilization",
  "resets_at",
  "extra_usage",
  "is_enabled",
  "usage",
  "usages",
  "limits",
  "limit",
  "used",
  "remaining",
  "window",
  "duration",
  "timeUnit",
  "detail",
  "resetTime",
  "limit_5h",
  "used_ratio",
  "data",
  "type",
  "unit",
  "number",
  "percentage",
  "currentValue",
  "nextResetTime",
  "model_remains",
  "model_name",
  "current_interval_total_count",
  "current_interval_usage_count",
  "current_weekly_remaining_percent",
  "start_time",
  "end_time",
  "remains_time",
  "codingPlanInstanceInfos",
  "codingPlanQuotaInfo",
  "per5HourUsedQuota",
  "per5HourTotalQuota",
  "per1WeekPercentage",
  "per1WeekResetTime",
  "limit_remaining",
  "limit_reset",
  "error",
  "message",
  "metadata",
  "headers",
  "details",
  "violations",
  "quotaId",
  "quotaValue",
  "quotaDimensions",
  "retryDelay",
  "resets_in_seconds",
  "__proto__",
  "constructor",
  "toString",
];

/** Bodies made of members that readers look for, in places where they belong or do not. */
const { body } = fc.letrec((tie) => ({
  body: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.oneof(
      fc.integer({ min: -5, max: 2000 }),
      fc.double(),
      text,
      fc.boolean(),
      fc.constantFrom(
        null,
        "TOKENS_LIMIT",
        "TIME_LIMIT",
        "TIME_UNIT_MINUTE",
        "usage_limit_reached",
        "GenerateRequestsPerDayPerProject",
        "45.8s",
        1e308,
        NOW + 60_000,
      ),
    ),
    fc.array(tie("body"), { maxLength: 4 }),
    fc
      .array(fc.tuple(fc.constantFrom(...FIELDS), tie("body")), { maxLength: 8 })
      // As JSON.parse makes them: `__proto__` is a member like any other.
      .map((members) => Object.fromEntries(members) as unknown),
  ),
}));

const answer = fc.record({
  provider: fc.constantFrom(...PROVIDERS),
  status: fc.constantFrom(200, 403, 429, 500),
  headers: headers.map((fields) => Object.fromEntries(fields)),
  body: fc.option(fc.oneof(body, fc.jsonValue()), { nil: undefined }),
});

describe("whatever an answer says", () => {
  it("readings are numbers that can be counted with, and resets lie ahead, within their windows", () => {
    let read = 0;
    fc.assert(
      fc.property(answer, (said) => {
        const { readings, retryAfterMs, notes } = readProviderSignals({ ...said, receivedAt: NOW });
        read += readings.length;
        expect(readings.flatMap(faultsOf)).toEqual([]);
        expect(retryAfterMs ?? 0).toSatisfy((ms: number) => Number.isSafeInteger(ms) && ms >= 0);
        expect(notes.filter((note) => note.length > 400)).toEqual([]);
      }),
      { numRuns: 500 },
    );
    expect(read).toBeGreaterThan(500);
  });

  it("is read without an error, however deep and long it is", () => {
    let deep: unknown = { used_percent: 5 };
    for (let depth = 0; depth < 50_000; depth += 1) deep = { data: [deep], error: { details: [deep] } };
    const long = Array.from({ length: 100_000 }, () => ({ type: "TOKENS_LIMIT", unit: 3, percentage: 5 }));
    const names = Object.fromEntries(
      Array.from({ length: 2000 }, (_, i) => [`x-codex-m${i}-primary-used-percent`, "abc"]),
    );
    const endless = "1".repeat(1_000_000);
    for (const provider of PROVIDERS) {
      const signals = [
        deep,
        long,
        { data: { limits: long } },
        { model_remains: long },
        { error: { message: endless } },
      ].map((said) =>
        readProviderSignals({ provider, status: 429, headers: names, body: said, receivedAt: NOW }),
      );
      for (const { readings, notes } of signals) {
        expect(readings.length).toBeLessThanOrEqual(100);
        expect(notes.length).toBeLessThanOrEqual(50);
      }
    }
  });

  it.each<[string, unknown]>([
    ["null", null],
    ["a list", ["x-codex-primary-used-percent", "5"]],
    ["text", "x-codex-primary-used-percent: 5"],
    [
      "values of every kind",
      { "x-codex-primary-used-percent": { toString: 5 }, "retry-after": 5, date: [null] },
    ],
    ["a field called forEach", { forEach: "x", "x-codex-primary-used-percent": [] }],
  ])("headers that are %s are no readings", (_, said) => {
    const { readings } = readProviderSignals({
      provider: "codex",
      status: 200,
      headers: said as HeadersLike,
      receivedAt: NOW,
    });
    expect(readings).toEqual([]);
  });
});

describe("header fields", () => {
  it("are the same in any case and any container", () => {
    let read = 0;
    fc.assert(
      fc.property(
        fc.constantFrom(...PROVIDERS),
        fc.constantFrom(200, 429),
        headers.chain((fields) => fc.tuple(fc.constant(fields), fc.infiniteStream(fc.boolean()))),
        (provider, status, [fields, coins]) => {
          const inOrder = (containers: HeadersLike): ProviderSignals =>
            readProviderSignals({ provider, status, headers: containers, receivedAt: NOW });
          const asRecord = inOrder(Object.fromEntries(fields));
          read += asRecord.readings.length;
          const cased = fields.map(
            ([name, value]) =>
              [
                name
                  .split("")
                  .map((letter) => (coins.next().value ? letter.toUpperCase() : letter))
                  .join(""),
                value,
              ] as const,
          );
          const sorted = cased.toSorted(([one], [other]) =>
            one.toLowerCase() < other.toLowerCase() ? -1 : 1,
          );
          const containers: readonly HeadersLike[] = [
            Object.fromEntries(cased),
            Object.fromEntries(cased.map(([name, value]) => [name, [value]])),
            new Map(cased),
            // As a `Headers` object shows them: sorted, and values trimmed.
            { forEach: (show) => sorted.forEach(([name, value]) => show(value.trim(), name.toLowerCase())) },
          ];
          for (const container of containers) {
            const signals = inOrder(container);
            expect(signals.readings).toEqual(asRecord.readings);
            expect(signals.retryAfterMs).toBe(asRecord.retryAfterMs);
            expect(new Set(signals.notes)).toEqual(new Set(asRecord.notes));
          }
        },
      ),
      { numRuns: 100 },
    );
    expect(read).toBeGreaterThan(200);
  });

  it("are read from a real Headers object", () => {
    const { readings } = readProviderSignals({
      provider: "codex",
      status: 200,
      headers: new Headers({ "X-Codex-Primary-Used-Percent": "5", "X-Codex-Primary-Window-Minutes": "300" }),
      receivedAt: NOW,
    });
    expect(readings).toMatchObject([{ window: "5h", utilization: 0.05 }]);
  });
});

/** What of a reading could not be counted with. */
function faultsOf(reading: ProviderReading): readonly string[] {
  const { unit, window, utilization, limit, remaining, resetsAt, source } = reading;
  const wrong: readonly (readonly [string, boolean])[] = [
    ["unit", !UNITS.includes(unit)],
    ["utilization", !(utilization >= 0 && utilization <= 100)],
    ["limit", limit !== undefined && !(limit > 0 && limit < Infinity)],
    ["remaining", remaining !== undefined && !(remaining >= 0 && remaining <= (limit ?? -1))],
    [
      "resetsAt",
      resetsAt !== undefined &&
        !(Number.isInteger(resetsAt) && resetsAt > NOW && resetsAt - NOW <= longest(window)),
    ],
    ["source", source === ""],
  ];
  return wrong.flatMap(([name, isWrong]) => (isWrong ? [`${name} of ${JSON.stringify(reading)}`] : []));
}

/** How far away a reset may be: as long as the window is, or a year and a day where it has no length. */
function longest(window: string | null): number {
  if (window === "monthly") return 31 * DAY_MS;
  if (window?.startsWith("7d_") === true) return 7 * DAY_MS;
  const known = new Map<string | null, number>(Object.entries(WINDOW_MS)).get(window);
  return known ?? (window === "1m" ? 60_000 : 400 * DAY_MS);
}
