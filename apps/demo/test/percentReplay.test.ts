import { readFileSync } from "node:fs";
import { beforeAll, describe, expect, it } from "vitest";
import { runReplay, type RunName, type RunResult } from "../replay/runs.js";
import { shapedTraffic } from "../replay/shapedTraffic.js";

/** What `pnpm replay` does at its full size: see its `results.json`. */
describe("a traffic replayed against the simulator's account of a Codex seat", () => {
  const results = new Map<RunName, RunResult>();
  const of = (run: RunName): RunResult["fiveHours"] => results.get(run)!.fiveHours;

  beforeAll(async () => {
    for (const [run, days] of [
      ["whole", 1.3125],
      ["tenths", 0.65625],
      ["owner", 0.65625],
    ] as const) {
      const traffic = shapedTraffic({ clients: 20, days, seed: "shape" });
      results.set(run, await runReplay(run, traffic, { requestsPerWindow: 400 }));
    }
    // Seconds of work, while other work may be going on.
  }, 180_000);

  it.each(["whole", "tenths"] as const)("in %s percents, every key has what it used", (run) => {
    const { windows, pairs, near, shownNear, outside, fullness } = of(run);
    expect(windows).toBe(run === "whole" ? 6 : 3);
    expect(pairs).toBeGreaterThan(50);
    expect(near).toBeGreaterThanOrEqual(0.99);
    expect(shownNear).toBeGreaterThanOrEqual(0.99);
    expect(outside).toBe(0);
    expect(fullness.mean).toBeGreaterThan(30);
  });

  it.each(["whole", "tenths", "owner"] as const)("nothing is lost and nothing counted twice: %s", (run) => {
    expect(of(run).largestError).toBe(0);
  });

  it("spreading since the last reading instead is further off", () => {
    expect(of("whole").sinceReading.nearForAll).toBeLessThan(of("whole").nearForAll);
  });

  it("most of what the owner uses in bursts is outside", () => {
    const { outside, trueOutside } = of("owner");
    expect(trueOutside).toBeGreaterThan(8);
    expect(outside).toBeGreaterThan(trueOutside / 2);
    expect(outside).toBeLessThanOrEqual(trueOutside);
  });
});

describe("docs/percent.md", () => {
  const text = readFileSync(new URL("../../../docs/percent.md", import.meta.url), "utf8").replaceAll(
    / +/g,
    " ",
  );
  const kept = JSON.parse(
    readFileSync(new URL("../replay/results.json", import.meta.url), "utf8"),
  ) as Readonly<Record<"trace" | "shaped", { readonly runs: readonly RunResult[] }>>;

  it.each(["trace", "shaped"] as const)(
    "says what the last replay of the %s traffic has found",
    (traffic) => {
      for (const { run, fiveHours } of kept[traffic].runs) {
        const { windows, pairs, near, worst, largestError, outside, trueOutside, sinceReading } = fiveHours;
        const cells = [
          ...[traffic, `\`${run}\``, `${windows} × ${pairs / windows}`, percent(near)],
          Math.abs(worst.attributed - worst.truth).toFixed(2),
          ...[`${largestError}`, outside.toFixed(1), trueOutside.toFixed(1)],
          ...[percent(sinceReading.near), percent(sinceReading.nearForAll)],
        ];
        expect(text).toContain(`| ${cells.join(" | ")} |`);
      }
    },
  );
});

function percent(part: number): string {
  return `${(part * 100).toFixed(1)} %`;
}
