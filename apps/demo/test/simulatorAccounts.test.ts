import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { FAMILY_NAMES, familyPath } from "../server/simulator/families/familyName.js";
import { defaultTokenPrices, noTokens, tokenPrice } from "../server/simulator/tokenPrice.js";
import { HOUR, meetProvider, MINUTE, START, THOUSAND, type MetProvider } from "./meetProvider.js";
import { startSimulator } from "./startSimulator.js";

/** What the last answer told of the five hours: percent, and the reset in seconds from the start and from now. */
function told(headers: Headers): readonly [percent: number, resetAt: number, resetAfter: number] {
  const of = (name: string) => Number(headers.get(`x-codex-primary-${name}`));
  return [of("used-percent"), of("reset-at") - START / 1000, of("reset-after-seconds")];
}

/** Looks without using anything. */
async function seen({ look }: MetProvider): Promise<unknown> {
  const { rate_limit } = (await (await look()).json()) as {
    rate_limit: { primary_window: { used_percent: number; reset_at: number } };
  };
  const { used_percent, reset_at } = rate_limit.primary_window;
  return [used_percent, reset_at - START / 1000];
}

describe("a window that starts at its first use", () => {
  test("shows its reset a whole length away, and the reset slides, until somebody uses it", async () => {
    const met = await meetProvider("codex", THOUSAND);
    expect(await seen(met)).toEqual([0, 18_000]);
    met.clock.now += HOUR;
    expect(await seen(met)).toEqual([0, 3600 + 18_000]);
    expect(told(await met.use(17))).toEqual([0, 3600 + 18_000, 18_000]);
    met.clock.now += HOUR;
    expect(await seen(met)).toEqual([10, 3600 + 18_000]);
    expect(told(await met.use(0))).toEqual([10, 3600 + 18_000, 14_400]);
  });

  test("waits for the next first use when it is over", async () => {
    const met = await meetProvider("codex", THOUSAND);
    await met.use(17);
    met.clock.now += 5 * HOUR + MINUTE;
    expect(await seen(met)).toEqual([0, 18_000 + 60 + 18_000]);
    const [five, week] = met.account.windows();
    expect([five?.openedAt, five?.used, week?.openedAt, week?.used]).toEqual([undefined, 0, START, 104]);
    expect(five?.finished).toMatchObject([{ openedAt: START, endedAt: START + 5 * HOUR, used: 104 }]);
  });

  test("is not one that starts by the clock: that goes on whether it is used or not", async () => {
    const fixed = { name: "5h", lengthMs: 5 * HOUR, unit: "percent", limit: 1000 } as const;
    const met = await meetProvider("codex", { windows: [{ ...fixed, starts: { from: START - HOUR } }] });
    expect(await seen(met)).toEqual([0, 4 * 3600]);
    met.clock.now += 4 * HOUR;
    expect(await seen(met)).toEqual([0, 9 * 3600]);
  });

  test("is not opened by a request that is refused", async () => {
    const met = await meetProvider("codex", { ...THOUSAND, refusing: "overage" });
    expect((await met.ask(1)).status).toBe(429);
    expect(met.account.windows().map(({ openedAt }) => openedAt)).toEqual([undefined, undefined]);
  });
});

describe("an early reset", () => {
  test("gives one window back, or all, and the next use opens them", async () => {
    const met = await meetProvider("codex", THOUSAND);
    await met.use(17);
    met.clock.now += HOUR;
    met.account.resetEarly("5h");
    expect(met.account.windows().map(({ used }) => used)).toEqual([0, 104]);
    expect(await seen(met)).toEqual([0, 3600 + 18_000]);
    met.clock.now += HOUR;
    expect(told(await met.use(0))).toEqual([0, 7200 + 18_000, 18_000]);
    met.account.resetEarly();
    expect(met.account.windows().map(({ used }) => used)).toEqual([0, 0]);
  });

  test("opens what was refused, at once", async () => {
    const met = await meetProvider("codex", THOUSAND);
    await met.use(170);
    expect((await met.ask(1)).status).toBe(429);
    met.account.resetEarly("5h");
    expect((await met.ask(1)).status).toBe(200);
  });

  test("begins a window that starts by the clock anew, from that moment on", async () => {
    const fixed = { name: "5h", lengthMs: 5 * HOUR, unit: "percent", limit: 1000 } as const;
    const met = await meetProvider("codex", { windows: [{ ...fixed, starts: { from: START - HOUR } }] });
    await met.use(17);
    met.clock.now += HOUR;
    met.account.resetEarly();
    expect(await seen(met)).toEqual([0, 6 * 3600]);
  });
});

describe("the owner's own use", () => {
  test("fills the same windows, and is told apart in the books alone", async () => {
    const met = await meetProvider("codex", THOUSAND);
    await met.use(17);
    met.account.useOutside({ tokens: 100 });
    met.account.useOutside({ percent: 30 });
    const [five, week] = met.account.windows();
    expect([five?.used, five?.outside, five?.percent, week?.used, week?.outside]).toEqual([
      504, 400, 50.4, 504, 400,
    ]);
    expect(await seen(met)).toEqual([50, 18_000]);
  });

  test("opens a window as anybody's first use does, and can spend it", async () => {
    const met = await meetProvider("codex", THOUSAND);
    met.account.useOutside({ percent: 100 });
    met.clock.now += HOUR;
    expect(await seen(met)).toEqual([100, 18_000]);
    expect((await met.ask(0)).status).toBe(429);
  });

  test("is a state somebody may wait for", async () => {
    const met = await meetProvider("codex", THOUSAND);
    const waiting = met.simulator.until(({ accounts }) => accounts[0]?.windows[0]?.percent === 12);
    met.account.useOutside({ percent: 12 });
    expect((await waiting).accounts).toMatchObject([{ family: "codex", credential: "sk-owner" }]);
  });
});

describe("a plan change", () => {
  test("to twice as much halves the percentage and leaves the resets", async () => {
    const met = await meetProvider("codex", THOUSAND);
    await met.use(100);
    expect(await seen(met)).toEqual([60, 18_000]);
    met.clock.now += HOUR;
    met.account.changePlan(2);
    expect(await seen(met)).toEqual([30, 18_000]);
    expect(met.account.windows().map(({ used, limit }) => [used, limit])).toEqual([
      [602, 2000],
      [602, 20_000],
    ]);
  });
});

describe("a clock that lies", () => {
  test.each([7 * MINUTE, -7 * MINUTE])("by %i ms puts moments off, and no waits", async (clockOffsetMs) => {
    const met = await meetProvider("codex", { ...THOUSAND, clockOffsetMs });
    const off = clockOffsetMs / 1000;
    const headers = await met.use(170);
    expect(told(headers)).toEqual([0, 18_000 + off, 18_000]);
    expect(Date.parse(headers.get("date") ?? "")).toBe(START + clockOffsetMs);
    met.clock.now += HOUR;
    const { error } = (await (await met.ask(1)).json()) as { error: Record<string, number> };
    expect([error["resets_at"], error["resets_in_seconds"]]).toEqual([START / 1000 + 18_000 + off, 14_400]);
    // The window itself ends when it ends.
    met.clock.now = START + 5 * HOUR;
    expect((await met.ask(1)).status).toBe(200);
    expect(met.account.windows()[1]?.resetsAt).toBe(START + 168 * HOUR);
  });
});

describe("percentages", () => {
  test("are rounded down, to whole ones or to tenths", async () => {
    const met = await meetProvider("codex", THOUSAND);
    met.account.useOutside({ tokens: 299.99 });
    expect(await seen(met)).toEqual([29, 18_000]);
    met.account.configure({ percentSteps: 0.1 });
    expect(await seen(met)).toEqual([29.9, 18_000]);
    met.account.useOutside({ tokens: 0.01 });
    expect(await seen(met)).toEqual([30, 18_000]);
  });

  test("of tenths are fractions of three places at Anthropic", async () => {
    const met = await meetProvider("anthropic-unified", { ...THOUSAND, percentSteps: 0.1 });
    met.account.useOutside({ tokens: 421.9 });
    const headers = await met.use(0);
    expect(headers.get("anthropic-ratelimit-unified-5h-utilization")).toBe("0.423");
  });

  test("weigh what is read from the cache, written to it, and answered, by price and by model", async () => {
    const prices = { ...defaultTokenPrices(), models: { big: 5 } };
    const met = await meetProvider("anthropic-unified", { ...THOUSAND, prices });
    const text = "a cached beginning ".repeat(40);
    const ask = (model: string) =>
      met.post(
        `${familyPath("anthropic-unified")}/v1/messages`,
        {
          model,
          max_tokens: 100,
          system: [{ type: "text", text, cache_control: { type: "ephemeral" } }],
          messages: [{ role: "user", content: "Say hi" }],
        },
        { headers: { "x-api-key": "sk-owner", "x-simulate-answer-tokens": "10" } },
      );
    let expected = 0;
    for (const model of ["small", "small", "big"]) {
      const answer = (await (await ask(model)).json()) as { usage: Record<string, number> };
      const { input_tokens, cache_read_input_tokens, cache_creation_input_tokens, output_tokens } =
        answer.usage;
      const tokens = {
        input: input_tokens!,
        cachedInput: cache_read_input_tokens!,
        cacheWrite: cache_creation_input_tokens!,
        output: output_tokens!,
      };
      expect(tokens.cachedInput + tokens.cacheWrite).toBe(190);
      const price = tokens.input + tokens.cachedInput * 0.1 + tokens.cacheWrite * 1.25 + tokens.output * 6;
      expected += model === "big" ? 5 * price : price;
    }
    expect(met.account.windows()[0]?.used).toBeCloseTo(expected, 9);
  });
});

describe("the books", () => {
  test("are of one credential at one provider, and one simulator is all of them at once", async () => {
    const { simulator, post } = await startSimulator({ clock: () => START });
    const body = { model: "m", messages: [{ role: "user", content: "Say hi" }] };
    const headers = { authorization: "Bearer sk-one" };
    for (const family of FAMILY_NAMES)
      expect((await post(`${familyPath(family)}/v1/chat/completions`, body, { headers })).status).toBe(200);
    await post("/v1/chat/completions", body, { headers });
    expect(simulator.state().accounts.map(({ family }) => family)).toEqual([...FAMILY_NAMES, "by-dialect"]);
    for (const { windows } of simulator.state().accounts)
      for (const { unit, used } of windows) if (unit === "requests") expect(used).toBe(1);
  });

  test.each(["/as/codex/responses", "/as/codex/backend-api/codex/responses", "/as/codex/v1/responses"])(
    "are met under any base: %s",
    async (path) => {
      const { simulator, post } = await startSimulator();
      const answer = await post(path, { model: "m", input: "Say hi" });
      expect([answer.status, answer.headers.get("x-codex-plan-type")]).toEqual([200, "plus"]);
      expect(simulator.state().lastRequests[0]?.path).toBe(path);
    },
  );

  test("add up: what each tag used and the owner is what was used, by the prices that are published", async () => {
    const met = await meetProvider("codex", {
      windows: THOUSAND.windows.map((terms) => ({ ...terms, enforced: false })),
    });
    const uses = fc.array(
      fc.record({ tag: fc.constantFrom("alice", "bob", "outside"), tokens: fc.integer({ min: 0, max: 60 }) }),
      { minLength: 1, maxLength: 6 },
    );
    await fc.assert(
      fc.asyncProperty(uses, async (list) => {
        met.account.resetEarly();
        const expected = new Map<string, number>();
        for (const { tag, tokens } of list) {
          if (tag === "outside") met.account.useOutside({ tokens });
          else await met.use(tokens, { tag });
          const counts =
            tag === "outside"
              ? { ...noTokens(), input: tokens }
              : { ...noTokens(), input: 2, output: tokens };
          const price = tokenPrice(counts, { prices: defaultTokenPrices(), model: "m" });
          if (price > 0) expected.set(tag, (expected.get(tag) ?? 0) + price);
        }
        for (const { used, outside, byTag } of met.account.windows()) {
          expect([...byTag, ...(outside > 0 ? [["outside", outside] as const] : [])].sort()).toEqual(
            [...expected].sort(),
          );
          expect(used).toBe([...expected.values()].reduce((sum, each) => sum + each, 0));
        }
      }),
      { numRuns: 15 },
    );
  });

  test("say no to settings that make no sense, and change nothing", async () => {
    const met = await meetProvider("codex", THOUSAND);
    const [five] = THOUSAND.windows;
    const bad = [
      { windows: [five, five] },
      { windows: [{ ...five, lengthMs: 0 }] },
      { windows: [{ ...five, limit: Number.NaN }] },
      { percentSteps: 0.5 as 1 },
      { clockOffsetMs: Number.POSITIVE_INFINITY },
    ];
    for (const settings of bad) {
      expect(() => met.account.configure(settings)).toThrow(RangeError);
      expect(() => met.simulator.configure({ families: { codex: settings } })).toThrow("families");
    }
    expect(met.account.settings()).toMatchObject(THOUSAND);
  });
});
