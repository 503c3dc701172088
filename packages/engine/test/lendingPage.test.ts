import { describe, expect, it, test } from "vitest";
import { reservedPart, type ReserveCurve } from "@quota/core";
import { markdownTable, page } from "../../core/test/markdownTable.js";
import { engineOver, START } from "./engineOver.js";

const text = page("docs/lending.md");

describe("docs/lending.md", () => {
  test.each(markdownTable(text, "passed of the window"))(
    "tells what is held at $['passed of the window']",
    ({ "passed of the window": passed, ...held }) => {
      const curves: Readonly<Record<string, ReserveCurve>> = {
        "`pace` holds": "pace",
        "`hold 1`": { hold: 1 },
        "`hold 2`": { hold: 2 },
        "`hold 4`": { hold: 4 },
      };
      expect(Object.keys(held)).toEqual(Object.keys(curves));
      for (const [name, curve] of Object.entries(curves))
        expect(reservedPart(curve, Number(passed))).toBe(Number(held[name]));
    },
  );

  it("tells truly what becomes of bob, carol and alice", async () => {
    const world = await engineOver({ pool: { lending: "reserve" } });
    const story = markdownTable(text, "minute");
    expect(story.length).toBeGreaterThan(3);
    for (const { minute, who, "asks for": asks, passes } of story) {
      world.time.now = START + Number(minute) * 60_000;
      let passed = 0;
      for (let i = 0; i < Number(asks); i += 1) if ((await world.spend(who!)).allowed) passed += 1;
      expect([minute, who, passed]).toEqual([minute, who, Number(passes)]);
    }
  });

  it("names every rule", () => {
    expect(markdownTable(text, "rule").map(({ rule }) => rule)).toEqual(
      ["threshold", "reserve", "static", "open"].map((rule) => `\`${rule}\``),
    );
  });
});
