import { readFileSync } from "node:fs";
import { describe, expect, it, test } from "vitest";
import { LENDING_RULES, reservedPart, type ReserveCurve } from "@quota/core";
import { engineOver, START } from "./engineOver.js";

const text = readFileSync(new URL("../../../docs/lending.md", import.meta.url), "utf8");

describe("docs/lending.md", () => {
  const curves: readonly ReserveCurve[] = ["pace", { hold: 1 }, { hold: 2 }, { hold: 4 }];
  test.each(rowsUnder("passed of the window"))("tells what is held at %s", (passed, ...held) => {
    expect(held.map(Number)).toEqual(curves.map((curve) => reservedPart(curve, Number(passed))));
  });

  it("tells truly what becomes of bob, carol and alice", async () => {
    const world = await engineOver({ pool: { lending: "reserve" } });
    const story = rowsUnder("minute");
    expect(story.length).toBeGreaterThan(3);
    for (const [minute, who, asks, passes] of story) {
      world.time.now = START + Number(minute) * 60_000;
      let passed = 0;
      for (let i = 0; i < Number(asks); i += 1) if ((await world.spend(who!)).allowed) passed += 1;
      expect([minute, who, passed]).toEqual([minute, who, Number(passes)]);
    }
  });

  it("names every rule", () => {
    expect(rowsUnder("rule").map(([rule]) => rule)).toEqual(LENDING_RULES.map((rule) => `\`${rule}\``));
  });
});

/** The cells of the table whose first column has this name, row by row. */
function rowsUnder(firstColumn: string): readonly (readonly string[])[] {
  const [, rows = ""] =
    new RegExp(`\\n\\| ${firstColumn} .*\\n\\|[-| ]+\\n((?:\\|.*\\n)+)`, "u").exec(text) ?? [];
  return rows
    .trimEnd()
    .split("\n")
    .map((row) =>
      row
        .slice(1, -1)
        .split("|")
        .map((cell) => cell.trim()),
    );
}
