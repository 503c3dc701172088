import type { SimulatedAccount } from "../server/simulator/createProviderSimulator.js";
import type { AccountSettings } from "../server/simulator/accountSettings.js";
import { familyPath, type FamilyName } from "../server/simulator/families/familyName.js";
import { startSimulator, type RunningSimulator } from "./startSimulator.js";

/** One account at one simulated provider, with a clock that stands until it is moved. */
export interface MetProvider extends RunningSimulator {
  readonly clock: { now: number };
  readonly account: SimulatedAccount;
  /** "Say hi" is two tokens of input: an answer of n tokens weighs 2 + 6 n. */
  readonly ask: (
    tokens: number,
    how?: { readonly tag?: string; readonly model?: string },
  ) => Promise<Response>;
  /** Asks, reads the answer to its end, and gives its headers. */
  readonly use: (
    tokens: number,
    how?: { readonly tag?: string; readonly model?: string },
  ) => Promise<Headers>;
  /** The usage endpoint. */
  readonly look: () => Promise<Response>;
}

/** When all clocks begin: a Thursday in summer. */
export const START = Date.UTC(2026, 8, 17, 8);

export const [MINUTE, HOUR] = [60_000, 3_600_000];

export async function meetProvider(
  family: FamilyName,
  settings: Partial<AccountSettings> = {},
): Promise<MetProvider> {
  const clock = { now: START };
  const running = await startSimulator({ clock: () => clock.now, families: { [family]: settings } });
  const headers = { authorization: "Bearer sk-owner" };
  const ask: MetProvider["ask"] = (tokens, { tag = "alice", model = "m" } = {}) =>
    running.post(
      `${familyPath(family)}/v1/chat/completions`,
      { model, messages: [{ role: "user", content: "Say hi" }] },
      { headers: { ...headers, "x-simulate-answer-tokens": String(tokens), "x-simulate-tag": tag } },
    );
  return {
    ...running,
    clock,
    account: running.simulator.account({ family, credential: "sk-owner" }),
    ask,
    async use(tokens, how) {
      const answer = await ask(tokens, how);
      await answer.arrayBuffer();
      return answer.headers;
    },
    look: () => fetch(running.baseUrl + familyPath(family) + (USAGE_PATHS.get(family) ?? ""), { headers }),
  };
}

/** 1000 priced tokens are 100 % of five hours, 10 000 of a week. */
export const THOUSAND = {
  windows: [
    { name: "5h", lengthMs: 5 * HOUR, unit: "percent", limit: 1000, starts: "first-use" },
    { name: "weekly", lengthMs: 168 * HOUR, unit: "percent", limit: 10_000, starts: "first-use" },
  ],
} as const satisfies Partial<AccountSettings>;

/** Where the owner's tools ask. */
const USAGE_PATHS: ReadonlyMap<FamilyName, string> = new Map([
  ["codex", "/backend-api/wham/usage"],
  ["anthropic-unified", "/api/oauth/usage"],
  ["openrouter", "/api/v1/key"],
  ["kimi", "/coding/v1/usages"],
  ["glm", "/api/monitor/usage/quota/limit"],
  ["minimax", "/v1/api/openplatform/coding_plan/remains"],
  ["bailian", "/data/api.json?action=queryCodingPlanInstanceInfoV2"],
]);
