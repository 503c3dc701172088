import { describe, expect, it } from "vitest";
import {
  compareRules,
  DEFAULT_RULES,
  generateTrace,
  ruleNamed,
  SCRIPTS,
  simulateRule,
  summarize,
  tableOf,
  workloadOfScript,
  workloadOfTrace,
  type Played,
  type Summary,
  type Workload,
} from "@quota/simulator";

describe("a simulated pool", () => {
  it("lets all in, where nobody asks for more than there is", async () => {
    const { windows, refusals, refusedInside } = await play([[1, 1]], 100);
    expect(windows).toEqual([
      { demands: [10, 10], admitted: [10, 10], shares: [50, 50], weights: [50, 50], outside: 0 },
    ]);
    expect([refusals, refusedInside]).toEqual([0, 0]);
  });

  it("stops a lone key at half of the limit, under threshold, and is asked by every request once", async () => {
    const { windows, asks, refusals, retries } = await play([[10, 0]], 100);
    expect(windows).toMatchObject([{ demands: [100, 0], admitted: [50, 0] }]);
    expect([asks, refusals]).toEqual([100, 50]);
    // The first 20 refusals are all looked at again: they stand until the window ends, and not any longer.
    expect(retries).toEqual({ checked: 20, early: 0, late: 0 });
  });

  it("forgets with a window what waited in it, and begins anew", async () => {
    const workload = workloadOf(
      [
        [10, 0],
        [2, 2],
      ],
      100,
    );
    // Whoever still waited would ask again now.
    const asked = { at: 9 * 3_600_000, what: "weights", weights: [50, 50] } as const;
    const { windows } = await playOf({ ...workload, incidents: [asked] });
    expect(windows).toMatchObject([
      { demands: [100, 0], admitted: [50, 0] },
      { demands: [20, 20], admitted: [20, 20] },
    ]);
  });

  it("lets who waits ask again when weights change", async () => {
    const workload = workloadOf([[10, 0]], 100);
    const changed = { at: 4 * 3_600_000, what: "weights", weights: [80, 20] } as const;
    const { windows } = await playOf({ ...workload, incidents: [changed] });
    expect(windows).toMatchObject([
      { demands: [100, 0], admitted: [80, 0], shares: [80, 0], weights: [80, 20] },
    ]);
  });

  it("has no more to give than the account's owner has left", async () => {
    const workload = workloadOf([[6, 6]], 100);
    const seen = { at: 1, what: "outside", used: 40 } as const;
    const { windows } = await playOf({ ...workload, incidents: [seen] });
    expect(windows).toMatchObject([{ admitted: [30, 30], outside: 40 }]);
  });

  it("is played the same for the same seed, to the last byte of the table, and otherwise for another", async () => {
    const trace = generateTrace({ shape: "mixed", clients: 4, days: 0.5, seed: "1" });
    const workload = workloadOfTrace(trace, { window: "5h", limit: 100, load: 1, weights: [3, 1] });
    const rules = ["threshold", "reserve"].map(ruleNamed);
    const once = await compareRules({ workload, rules, seed: "1" });
    expect(await compareRules({ workload, rules, seed: "1" })).toEqual(once);
    expect(tableOf(await compareRules({ workload, rules, seed: "2" }))).not.toBe(tableOf(once));
  });

  /** Two keys of equal weight, which send so many tenths of ten requests in each window, evenly. */
  function workloadOf(windows: readonly (readonly [number, number])[], limit: number): Workload {
    const slotMs = 5 * 3_600_000;
    return {
      ...{ name: "two keys", window: "5h", limit, windows: windows.length, incidents: [] },
      keys: [0, 1].map((key) => ({
        id: `key-${String(key)}`,
        weight: 50,
        rates: {
          slotMs,
          perMs: Float64Array.from(windows, (each) => (each[key]! * 10 + 1e-6) / slotMs),
          gapCv: new Float64Array(windows.length),
        },
      })),
    };
  }

  const playOf = (workload: Workload): Promise<Played> =>
    simulateRule({ workload, lending: "threshold", seed: "1" });
  const play = (windows: readonly (readonly [number, number])[], limit: number): Promise<Played> =>
    playOf(workloadOf(windows, limit));
});

describe("a trace as work for a pool", () => {
  const trace = [
    { client: "a", slot: 0, requestsPerSecond: 3, gapCv: 1 },
    { client: "b", slot: 40, requestsPerSecond: 1, gapCv: 2 },
  ];

  it("asks for as much as the load says, of all windows that it touches", () => {
    const { keys, windows } = workloadOfTrace(trace, { window: "5h", limit: 1000, load: 0.5, weights: [1] });
    const sums = keys.map(({ rates: { perMs, slotMs } }) =>
      perMs.reduce((sum, rate) => sum + rate * slotMs, 0),
    );
    expect(windows).toBe(2);
    expect(sums.map(Math.round)).toEqual([750, 250]);
  });

  it.each([
    ["equal ones", [1], [50, 50]],
    ["weights in turn", [3, 1], [75, 25]],
    ["one without any", [1, 0], [100, 0]],
  ])("has weights of 100 together: %s", (_what, weights, percents) => {
    const { keys } = workloadOfTrace(trace, { window: "daily", limit: 10, load: 1, weights });
    expect(keys.map(({ id, weight }) => [id, weight])).toEqual([
      ["a", percents[0]],
      ["b", percents[1]],
    ]);
  });
});

describe("what a run comes to", () => {
  const summaryOf = (window: Partial<Played["windows"][number]>): Summary =>
    summarize(
      { keys: ["a", "b"].map((id) => ({ id, weight: 50, rates: NOTHING })), limit: 100 },
      {
        windows: [
          { demands: [0, 0], admitted: [0, 0], shares: [50, 50], weights: [1, 1], outside: 0, ...window },
        ],
        ...{ asks: 0, refusals: 0, refusedInside: 3, course: [] },
        retries: { checked: 0, early: 0, late: 0 },
      },
    );
  const NOTHING = { slotMs: 1, perMs: new Float64Array(0), gapCv: new Float64Array(0) };

  it.each([
    ["nothing is nothing amiss", {}, { utilization: 1, shortfall: 0, jain: 1, guaranteeShortfall: 0 }],
    [
      "half of it idle while one waits",
      { demands: [100, 0], admitted: [50, 0] },
      { utilization: 0.5, shortfall: 0.5, jain: 1, guaranteeShortfall: 0 },
    ],
    [
      "one has what was the other's",
      { demands: [100, 60], admitted: [75, 25] },
      {
        utilization: 1,
        shortfall: 0.25,
        guaranteeShortfall: 0.25,
        jain: 0.8,
        refusedInside: 3 / 160,
        lostInside: 25 / 160,
      },
    ],
    [
      "what the owner uses nobody could have had",
      { demands: [100, 0], admitted: [60, 0], outside: 40 },
      { utilization: 1, shortfall: 0 },
    ],
    [
      "by weight",
      { demands: [100, 100], admitted: [75, 25], weights: [3, 1], shares: [75, 25] },
      { utilization: 1, shortfall: 0, jain: 1, guaranteeShortfall: 0 },
    ],
  ])("%s", (_sentence, window, summary) => {
    expect(summaryOf(window)).toMatchObject(summary);
  });
});

describe("scripts", () => {
  it.each(SCRIPTS)("$name asks for what its story says, within one window", async ({ name, keys }) => {
    const played = await simulateRule({
      workload: workloadOfScript(name, { limit: 300 }),
      lending: "threshold",
      seed: "1",
    });
    const [window, ...others] = played.windows;
    expect(others).toEqual([]);
    const wanted = keys.map(({ acts }) => acts.reduce((sum, { amount }) => sum + amount * 300, 0));
    wanted.forEach((amount, key) => {
      expect(Math.abs(window!.demands[key]! - amount)).toBeLessThanOrEqual(1);
    });
    expect(played.course.map((parts) => parts.reduce((sum, part) => sum + part, 0))).toEqual(
      window!.admitted,
    );
    expect(played.retries).toMatchObject({ early: 0, late: 0 });
  });

  it("have names, and no others are known", () => {
    expect(() => workloadOfScript("nothing", { limit: 1 })).toThrow(
      /script: "nothing" is no script\. Take one of lone-key/,
    );
  });
});

describe("rules by name", () => {
  it("are those that are tried by default", () => {
    expect(DEFAULT_RULES.map(ruleNamed)).toEqual([
      { name: "threshold", lending: "threshold" },
      { name: "static", lending: "static" },
      { name: "open", lending: "open" },
      { name: "reserve, pace", lending: "reserve" },
      ...["1", "2", "4"].map((hold) => ({
        name: `reserve, hold ${hold}`,
        lending: { rule: "reserve", curve: { hold: Number(hold) } },
      })),
    ]);
  });

  it.each(["", "fair", "reserve:", "reserve:0", "reserve:x", "threshold:2"])('"%s" is none', (word) => {
    expect(() => ruleNamed(word)).toThrow(/rules: ".*" is no rule of lending\. Write one of threshold, /);
  });
});
