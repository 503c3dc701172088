import { readProviderSignals, type ProviderSignals } from "@quota/core";
import { describe, expect, test } from "vitest";
import type { AccountSettings } from "../server/simulator/accountSettings.js";
import { FAMILY_NAMES, type FamilyName } from "../server/simulator/families/familyName.js";
import { HOUR, meetProvider, MINUTE, START, THOUSAND, type MetProvider } from "./meetProvider.js";

describe("Codex", () => {
  test("tells whole percents of five hours and a week on every answer, rounded down", async () => {
    const { use } = await meetProvider("codex", THOUSAND);
    await use(17);
    const headers = await use(0);
    expect(Object.fromEntries([...headers].filter(([name]) => name.startsWith("x-codex-")))).toEqual({
      "x-codex-plan-type": "plus",
      "x-codex-active-limit": "codex",
      "x-codex-primary-used-percent": "10",
      "x-codex-primary-window-minutes": "300",
      "x-codex-primary-reset-after-seconds": "18000",
      "x-codex-primary-reset-at": String(START / 1000 + 18_000),
      "x-codex-secondary-used-percent": "1",
      "x-codex-secondary-window-minutes": "10080",
      "x-codex-secondary-reset-after-seconds": "604800",
      "x-codex-secondary-reset-at": String(START / 1000 + 604_800),
      "x-codex-primary-over-secondary-limit-percent": "0",
      "x-codex-credits-has-credits": "False",
      "x-codex-credits-unlimited": "False",
      "x-codex-credits-balance": "",
    });
  });

  test("refuses once the five hours are spent, with numbers on the 429 as well, and opens at the reset", async () => {
    const { ask, use, clock } = await meetProvider("codex", THOUSAND);
    await use(170);
    clock.now += HOUR;
    const refused = await ask(1);
    expect(refused.status).toBe(429);
    expect(refused.headers.get("x-codex-primary-used-percent")).toBe("100");
    expect(refused.headers.get("x-codex-secondary-used-percent")).toBe("10");
    expect(refused.headers.get("retry-after")).toBeNull();
    expect(await refused.json()).toEqual({
      error: {
        type: "usage_limit_reached",
        message: "The usage limit has been reached",
        plan_type: "plus",
        resets_at: START / 1000 + 18_000,
        resets_in_seconds: 4 * 3600,
      },
    });
    clock.now = START + 5 * HOUR - 1;
    expect((await ask(1)).status).toBe(429);
    clock.now += 1;
    const reopened = await ask(1);
    expect([reopened.status, reopened.headers.get("x-codex-secondary-used-percent")]).toEqual([200, "10"]);
  });

  test("answers at its usage endpoint, which costs nothing and has no headers of limits", async () => {
    const { use, look, account, clock } = await meetProvider("codex", THOUSAND);
    await use(17);
    clock.now += MINUTE;
    const answer = await look();
    expect([...answer.headers.keys()].filter((name) => name.startsWith("x-codex"))).toEqual([]);
    expect(await answer.json()).toMatchObject({
      plan_type: "plus",
      rate_limit: {
        allowed: true,
        limit_reached: false,
        primary_window: {
          used_percent: 10,
          limit_window_seconds: 18_000,
          reset_after_seconds: 17_940,
          reset_at: START / 1000 + 18_000,
        },
        secondary_window: { used_percent: 1, limit_window_seconds: 604_800 },
      },
      additional_rate_limits: [],
    });
    expect(account.windows().map(({ used, percent }) => [used, percent])).toEqual([
      [104, 10.4],
      [104, 1.04],
    ]);
  });

  test("has a limit of one model beside the account's, and refuses that model alone", async () => {
    const spark = {
      name: "spark",
      lengthMs: 5 * HOUR,
      unit: "percent",
      limit: 50,
      starts: "first-use",
    } as const;
    const { ask, use } = await meetProvider("codex", {
      windows: [...THOUSAND.windows, { ...spark, model: "spark" }],
    });
    await use(17, { model: "gpt-spark" });
    const refused = await ask(1, { model: "gpt-spark" });
    const told = [
      "x-codex-active-limit",
      "x-codex-spark-primary-used-percent",
      "x-codex-primary-used-percent",
    ];
    expect([refused.status, ...told.map((name) => refused.headers.get(name))]).toEqual([
      429,
      "codex_spark",
      "100",
      "10",
    ]);
    expect((await ask(1)).status).toBe(200);
  });
});

/** How core calls the provider that a family is. */
const provider = (family: FamilyName) => (family.startsWith("anthropic") ? "anthropic" : family);

async function signalsOf(
  family: FamilyName,
  { clock }: MetProvider,
  response: Response,
): Promise<ProviderSignals> {
  const { status, headers } = response;
  const body: unknown = await response.json();
  return readProviderSignals({ provider: provider(family), status, headers, body, receivedAt: clock.now });
}

/** Window, percent to the hundredth, seconds from the start to the reset: of the account, not of a part of it. */
function brief({ readings }: Pick<ProviderSignals, "readings">): unknown[] {
  return readings
    .filter(({ scope }) => scope === undefined)
    .map(({ unit, window, utilization, resetsAt }) => [
      `${unit}/${window}`,
      Math.round(utilization * 10_000) / 100,
      resetsAt === undefined ? "unsaid" : Math.round((resetsAt - START) / 1000),
    ]);
}

const [h5, d7] = [18_000, 604_800];
type Case = readonly [family: FamilyName, shape: AccountSettings["shape"], expected: readonly unknown[]];

// An answer of 3000 tokens and one of none: 18 004 priced tokens, 3004 tokens, two requests.
describe("what a family says is read as its account's truth", () => {
  const codex = [
    ["percent/5h", 9, h5],
    ["percent/weekly", 1, d7],
  ];
  const claude = [
    ["percent/5h", 4, h5],
    ["percent/weekly", 0, d7],
  ];
  const anthropicApi = [
    ["tokens/null", 3.75, 60],
    ["requests/null", 0.2, 60],
  ];
  const openai = [
    ["requests/null", 0.02, 60],
    ["tokens/null", 0.15, 60],
  ];

  test.each<Case>([
    ["codex", "usual", codex],
    ["codex", "other", [...codex].reverse()],
    ["anthropic-unified", "usual", claude],
    ["anthropic-unified", "other", claude],
    ["anthropic-api", "usual", anthropicApi],
    ["openai", "usual", openai],
    [
      "openai",
      "other",
      [
        ["requests/1m", 0.02, 60],
        ["tokens/1m", 0.15, 60],
      ],
    ],
    ["azure", "usual", openai],
    ["azure", "other", openai.slice(1)],
    [
      "groq",
      "usual",
      [
        ["requests/null", 0.01, 86_400],
        ["tokens/null", 5.01, 60],
      ],
    ],
    ["openrouter", "usual", []],
    ["gemini", "usual", []],
    ["kimi", "usual", []],
    ["glm", "usual", []],
    ["minimax", "usual", []],
    ["bailian", "usual", []],
  ])("in the headers of an answer: %s, %s shape", async (family, shape, expected) => {
    const met = await meetProvider(family, { shape });
    await met.use(3000);
    const signals = await signalsOf(family, met, await met.ask(0));
    expect([signals.notes, brief(signals)]).toEqual([[], expected]);
  });

  const kimi = [
    ["requests/weekly", 1, d7],
    ["requests/5h", 9, h5],
  ];
  test.each<Case>([
    ["codex", "usual", codex],
    ["codex", "other", [...codex].reverse()],
    ["anthropic-unified", "usual", claude],
    ["openrouter", "usual", [["usd/daily", 0.18, "unsaid"]]],
    ["kimi", "usual", kimi],
    ["kimi", "other", kimi],
    [
      "glm",
      "usual",
      [
        ["tokens/5h", 0.75, h5],
        ["tokens/weekly", 0.09, d7],
      ],
    ],
    [
      "glm",
      "other",
      [
        ["tokens/5h", 0, "unsaid"],
        ["tokens/weekly", 0, d7],
      ],
    ],
    [
      "minimax",
      "usual",
      [
        ["tokens/5h", 0.75, h5],
        ["tokens/weekly", 0.09, 316_800],
      ],
    ],
    [
      "minimax",
      "other",
      [
        ["tokens/5h", 0, h5],
        ["tokens/weekly", 0, 316_800],
      ],
    ],
    [
      "bailian",
      "usual",
      [
        ["percent/5h", 9, h5],
        ["percent/weekly", 1.12, 316_800],
        ["percent/monthly", 0.56, 1_440_000],
      ],
    ],
    [
      "bailian",
      "other",
      [
        ["percent/5h", 9, h5],
        ["percent/weekly", 1, 316_800],
        ["percent/monthly", 0, 1_440_000],
      ],
    ],
  ])("at the usage endpoint: %s, %s shape", async (family, shape, expected) => {
    const met = await meetProvider(family, { shape });
    await met.use(3000);
    await met.use(0);
    const signals = await signalsOf(family, met, await met.look());
    expect([signals.notes, brief(signals)]).toEqual([[], expected]);
  });

  test.each<[FamilyName, status: number, waitS: number | undefined, full: readonly unknown[]]>([
    ["codex", 429, h5, [["percent/5h", 100, h5]]],
    ["anthropic-unified", 429, h5, [["percent/5h", 100, h5]]],
    ["anthropic-api", 429, 60, [["requests/null", 100, 60]]],
    ["openai", 429, 60, [["requests/null", 100, 60]]],
    ["azure", 429, 60, [["requests/null", 100, 60]]],
    ["groq", 429, 60, [["tokens/null", 100, 60]]],
    ["openrouter", 402, undefined, []],
    ["gemini", 429, 60, []],
    ["kimi", 429, undefined, [["requests/5h", 100, "unsaid"]]],
    ["glm", 429, h5, [["tokens/5h", 100, h5]]],
    ["minimax", 429, h5, [["tokens/5h", 100, h5]]],
    ["bailian", 429, undefined, [["percent/5h", 100, "unsaid"]]],
  ])("in a refusal for the shortest window: %s", async (family, status, waitS, full) => {
    const met = await meetProvider(family);
    await met.use(0);
    const [shortest, ...others] = met.account.windows();
    const { windows } = met.account.settings();
    met.account.configure({
      windows: windows.map((each) => (each.name === shortest?.name ? { ...each, limit: 1e-6 } : each)),
    });
    const refused = await met.ask(0);
    expect(refused.status).toBe(status);
    const signals = await signalsOf(family, met, refused);
    expect(brief({ readings: signals.readings.filter(({ utilization }) => utilization >= 1) })).toEqual(full);
    expect([signals.notes, signals.retryAfterMs]).toEqual([
      [],
      waitS === undefined ? undefined : waitS * 1000,
    ]);
    expect(others.every(({ percent }) => percent < 1)).toBe(true);
  });

  test("where several windows are spent, the one that clears last is told", async () => {
    const { account, ask, use } = await meetProvider("codex", THOUSAND);
    await use(170);
    account.configure({ windows: THOUSAND.windows.map((each) => ({ ...each, limit: 1000 })) });
    const { error } = (await (await ask(0)).json()) as { error: { resets_in_seconds: number } };
    expect(error.resets_in_seconds).toBe(d7);
  });

  test("Kimi leaves out what is 0, as if it were not there", async () => {
    const { look } = await meetProvider("kimi");
    const { usage } = (await (await look()).json()) as { usage: object };
    expect(usage).toEqual({ limit: "100", remaining: "100", resetTime: "2026-09-24T08:00:00.000960Z" });
  });

  test("Gemini tells a short wait for a limit of a day too, and names it rightly", async () => {
    const met = await meetProvider("gemini");
    await met.use(0);
    const { windows } = met.account.settings();
    met.account.configure({
      windows: windows.map((each) => ({ ...each, limit: each.name === "PerDay" ? 1 : 10 })),
    });
    const signals = await signalsOf("gemini", met, await met.ask(0));
    expect(signals.readings).toMatchObject([
      { window: "daily", utilization: 1, scope: "m", resetsAt: START + 23 * HOUR },
    ]);
  });

  test("OpenRouter tells of the requests of a day in a refusal, and Kimi of a spent plan with a 403", async () => {
    const openrouter = await meetProvider("openrouter");
    const [credits, requests] = openrouter.account.settings().windows;
    openrouter.account.configure({ windows: [credits!, { ...requests!, limit: 1 }] });
    await openrouter.use(0);
    const spent = await openrouter.ask(0);
    // In milliseconds.
    expect(spent.headers.get("x-ratelimit-reset")).toBe(String(START + 16 * HOUR));
    const { readings } = await signalsOf("openrouter", openrouter, spent);
    expect(readings).toContainEqual(
      expect.objectContaining({ unit: "requests", utilization: 1, limit: 1, resetsAt: START + 16 * HOUR }),
    );

    const kimi = await meetProvider("kimi", { ...THOUSAND, shape: "other" });
    await kimi.use(200);
    const refused = await kimi.ask(0);
    expect(refused.status).toBe(403);
    expect(brief(await signalsOf("kimi", kimi, refused))).toEqual([["requests/5h", 100, "unsaid"]]);
  });
});

describe("a refusal that is not of the whole account", () => {
  test.each(FAMILY_NAMES)("names one model, and others are answered: %s", async (family) => {
    const met = await meetProvider(family, { refusing: { model: "opus" } });
    const refused = await met.ask(0, { model: "claude-opus-9" });
    expect(refused.status).toBe(429);
    const said = (await refused.clone().text()) + JSON.stringify([...refused.headers]);
    expect(said).toMatch(/opus/u);
    const { readings } = await signalsOf(family, met, refused);
    expect(readings.filter(({ scope, utilization }) => scope === undefined && utilization >= 1)).toEqual([]);
    expect((await met.ask(0, { model: "claude-sonnet-9" })).status).toBe(200);
  });

  test.each<FamilyName>(["codex", "anthropic-unified", "openai"])("is of the overage: %s", async (family) => {
    const met = await meetProvider(family, { refusing: "overage" });
    const refused = await met.ask(0);
    expect(refused.status).toBe(429);
    expect((await refused.clone().text()) + JSON.stringify([...refused.headers])).toMatch(
      /credits_depleted|"overage"|insufficient_quota/u,
    );
  });

  test.each([
    ["expired", 401],
    ["forbidden", 403],
  ] as const)(
    "is of an %s login, which answers %i everywhere and tells nothing of the limits",
    async (login, status) => {
      const { ask, look, account } = await meetProvider("codex");
      account.configure({ login });
      const refused = await ask(0);
      expect([refused.status, (await look()).status]).toEqual([status, status]);
      expect([...refused.headers.keys()].filter((name) => name.startsWith("x-codex"))).toEqual([]);
      account.configure({ login: "valid" });
      expect((await ask(0)).status).toBe(200);
    },
  );
});
