import { describe, expect, test } from "vitest";
import type { AccountSettings } from "../server/simulator/accountSettings.js";
import type { FamilyName } from "../server/simulator/families/familyName.js";
import { startSimulator, type RunningSimulator } from "./startSimulator.js";

const start = Date.UTC(2026, 8, 17, 8);
const [minute, hour] = [60_000, 3_600_000];

/** One account at one provider, with a clock that stands until it is moved. */
async function meet(family: FamilyName, settings: Partial<AccountSettings> = {}): Promise<Met> {
  const clock = { now: start };
  const running = await startSimulator({ clock: () => clock.now, families: { [family]: settings } });
  const headers = { authorization: "Bearer sk-owner" };
  return {
    ...running,
    clock,
    account: running.simulator.account({ family, credential: "sk-owner" }),
    // "Say hi" is two tokens of input: an answer of n tokens weighs 2 + 6 n.
    ask: (tokens, { tag = "alice", model = "m" } = {}) =>
      running.post(
        `/as/${family}/v1/chat/completions`,
        { model, messages: [{ role: "user", content: "Say hi" }] },
        { headers: { ...headers, "x-simulate-answer-tokens": String(tokens), "x-simulate-tag": tag } },
      ),
    look: (path) => fetch(`${running.baseUrl}/as/${family}${path}`, { headers }),
  };
}

interface Met extends RunningSimulator {
  readonly clock: { now: number };
  readonly account: ReturnType<RunningSimulator["simulator"]["account"]>;
  readonly ask: (
    tokens: number,
    how?: { readonly tag?: string; readonly model?: string },
  ) => Promise<Response>;
  readonly look: (path: string) => Promise<Response>;
}

/** 1000 priced tokens are 100 %. */
const thousand: Partial<AccountSettings> = {
  windows: [
    { name: "5h", lengthMs: 5 * hour, unit: "percent", limit: 1000, starts: "first-use" },
    { name: "weekly", lengthMs: 168 * hour, unit: "percent", limit: 10_000, starts: "first-use" },
  ],
};

function told(response: Response, names: Record<string, string>): Record<string, string | null> {
  return Object.fromEntries(Object.keys(names).map((name) => [name, response.headers.get(name)]));
}

describe("Codex", () => {
  test("tells whole percents of five hours and a week on every answer, rounded down", async () => {
    const { ask } = await meet("codex", thousand);
    await (await ask(17)).text();
    const expected = {
      "x-codex-plan-type": "plus",
      "x-codex-primary-used-percent": "10",
      "x-codex-primary-window-minutes": "300",
      "x-codex-primary-reset-after-seconds": "18000",
      "x-codex-primary-reset-at": String(start / 1000 + 18_000),
      "x-codex-secondary-used-percent": "1",
      "x-codex-secondary-window-minutes": "10080",
      "x-codex-secondary-reset-after-seconds": "604800",
      "x-codex-credits-has-credits": "False",
    };
    const answer = await ask(0);
    expect(told(answer, expected)).toEqual(expected);
  });

  test("refuses once the five hours are spent, with numbers on the 429 as well, and opens at the reset", async () => {
    const { ask, clock } = await meet("codex", thousand);
    await (await ask(170)).text();
    clock.now += hour;
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
        resets_at: start / 1000 + 18_000,
        resets_in_seconds: 4 * 3600,
      },
    });
    clock.now = start + 5 * hour - 1;
    expect((await ask(1)).status).toBe(429);
    clock.now += 1;
    const reopened = await ask(1);
    expect([reopened.status, reopened.headers.get("x-codex-secondary-used-percent")]).toEqual([200, "10"]);
  });

  test("answers at its usage endpoint, which costs nothing", async () => {
    const { ask, look, account, clock } = await meet("codex", thousand);
    await (await ask(17)).text();
    clock.now += minute;
    const body: unknown = await (await look("/backend-api/wham/usage")).json();
    expect(body).toMatchObject({
      plan_type: "plus",
      rate_limit: {
        allowed: true,
        limit_reached: false,
        primary_window: {
          used_percent: 10,
          limit_window_seconds: 18_000,
          reset_after_seconds: 17_940,
          reset_at: start / 1000 + 18_000,
        },
        secondary_window: { used_percent: 1, limit_window_seconds: 604_800 },
      },
    });
    expect(account.windows().map(({ used, percent }) => [used, percent])).toEqual([
      [104, 10.4],
      [104, 1.04],
    ]);
  });
});
