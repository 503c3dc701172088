import { readFileSync } from "node:fs";
import { buildUpstreamLimit, ownRateHeaders, ownUsageJson, refusalCode } from "@quota/http";
import { describe, expect, test } from "vitest";
import { asked, decided, decidedUnder, NOON, sharing } from "./decisions.js";

const page = readFileSync(new URL("../../../docs/sub-users.md", import.meta.url), "utf8");
const pool = { connectionId: "seat", name: "Team" };

describe("docs/sub-users.md", () => {
  test("has every member of /v1/usage, and none that is not there", () => {
    const question = { ...sharing({ bob: 1 }), cap: 4 };
    const [dimension] = ownUsageJson({ pool, decision: decidedUnder("reserve", question) }).dimensions;
    const rows = [...page.matchAll(/^\| (`.*?) +\|/gmu)].map(([, cell]) => cell!);
    const members = rows
      .slice(
        0,
        rows.findIndex((cell) => cell.startsWith("`x-codex")),
      )
      .flatMap((cell) => [...cell.matchAll(/`(\w+)`/gu)].map(([, name]) => name!));
    expect(members.sort()).toEqual(
      Object.keys(dimension!)
        .filter((name) => name !== "unit" && name !== "window")
        .sort(),
    );
  });

  test("tells truly how full its pool is", () => {
    const [, limit, used, told, least, more, then] =
      /pool of (\d+) requests, of which (\d+) are used, is at (\d\.\d+), as it is with (\d+); with (\d+) it is at (\d\.\d+)/u.exec(
        page,
      )!;
    const at = (total: string | undefined) =>
      ownUsageJson({
        pool,
        decision: decided(
          [
            asked("requests", "5h", {
              limit: Number(limit),
              used: 0,
              total: Number(total),
              share: 1,
              cost: 0,
            }),
          ],
          NOON,
        ),
      }).dimensions[0]!.globalUsedPercent;
    expect([at(used), at(least), at(more)]).toEqual([Number(told), Number(told), Number(then)]);
    expect(at(String(Number(least) - 1))).toBeLessThan(Number(told));
  });

  test("has the headers that its Codex seat gives", () => {
    const [, share, used, week] =
      /has (\d+) % of a Codex seat, has used ([\d.]+) % of the seat's five hours\s+and (\d+) % of its week/u.exec(
        page,
      )!;
    const percent = (amount: string | undefined) => Math.round(Number(amount) * 1_000_000);
    const seat = { limit: 100_000_000, share: percent(share), cost: 0 };
    const decision = decided(
      [
        { ...asked("percent", "5h", { ...seat, used: percent(used) }), resetsAt: NOON + 3_600_000 },
        { ...asked("percent", "weekly", { ...seat, used: percent(week) }), resetsAt: NOON + 86_400_000 },
      ],
      NOON,
    );
    const headers = [...ownRateHeaders({ decision, families: new Set(["codex"]) }, NOON)];
    const shown = headers
      .filter(([name]) => !name.endsWith("-reset-at"))
      .map(([name, value]) => `${name}: ${value}`);
    expect(/```http\n([^`]*)\n```/u.exec(page)![1]!.split("\n")).toEqual(shown);
  });

  test("names the codes and the advice of a provider's refusals", () => {
    const row = (status: number) => page.split("\n").find((line) => line.startsWith(`| ${String(status)} `))!;
    for (const status of [429, 402]) {
      const upstream = { status, headers: {} };
      const answer = buildUpstreamLimit(
        { upstream, signals: { readings: [] }, dialect: "openai", requestId: "r" },
        NOON,
      );
      expect(row(status)).toMatch(new RegExp(`^\\| ${String(status)} +\\| ${String(answer.status)} `, "u"));
      expect(row(status)).toContain(`\`${refusalCode("upstream-rate-limited")}\``);
      expect(row(status).includes("x-should-retry: false")).toBe(
        answer.headers["x-should-retry"] === "false",
      );
    }
    expect(page).toContain(`\`${refusalCode("too-large")}\``);
    expect(page).toContain(`\`${refusalCode("in-flight")}\``);
  });
});
