import { describe, expect, it, test } from "vitest";
import {
  currentBucket,
  decideFairShare,
  DEFAULT_SATURATION_THRESHOLD,
  fixedWindowAt,
  GRAINS_PER_UNIT,
  parseDimensions,
  WINDOW_MS,
  windowBucket,
  WINDOWS,
  type Anchor,
  type Decision,
  type Policy,
  type RefusalReason,
  type WindowName,
  type WindowShape,
} from "@quota/core";
import { countedWindow, worstCase } from "./countedWindow.js";
import { markdownTable, page } from "./markdownTable.js";

const NOW = Date.UTC(2026, 0, 5);
const requests = { name: "requests/hourly", unit: "requests", window: "hourly", limit: 100 } as const;

function inOneWord(decision: Decision): string {
  return decision.status === "refused" ? decision.reason : decision.status;
}

describe("docs/fair-share.md", () => {
  const text = page("docs/fair-share.md");

  test.each(markdownTable(text, "situation"))("$situation: $answer", (row) => {
    const number = (name: string): number => {
      expect(row[name]).toMatch(/^\d+$/);
      return Number(row[name]);
    };
    const asked = {
      dimension: requests,
      used: number("used"),
      total: number("total"),
      cost: number("cost"),
      share: number("share"),
      cap: row["cap"] === "–" ? undefined : number("cap"),
    };
    const decision = decideFairShare({ policy: row["policy"] as Policy, dimensions: [asked] }, NOW);
    expect(inOneWord(decision)).toBe(row["answer"]);
  });

  it("has examples of every answer that one dimension can give", () => {
    expect(new Set(markdownTable(text, "situation").map(({ answer }) => answer))).toEqual(
      new Set(["allowed", "deprioritized", "fair-share", "global-saturated", "cap-absolute", "too-large"]),
    );
  });

  it("tells truly how carol finds the pool full", () => {
    const shares = new Map(
      [...text.matchAll(/(alice|bob|carol) (\d+)/g)]
        .slice(0, 3)
        .map(([, who, share]) => [who, Number(share)]),
    );
    expect([...shares]).toEqual([
      ["alice", 50],
      ["bob", 30],
      ["carol", 20],
    ]);
    const used = new Map<string, number>();
    let total = 0;
    for (const row of markdownTable(text, "step")) {
      const who = row["who"]!;
      let passed = 0;
      let last = "";
      for (let i = 0; i < Number(row["asks for"]); i += 1) {
        const mine = used.get(who) ?? 0;
        const asked = { dimension: requests, used: mine, total, cost: 1, share: shares.get(who) };
        const decision = decideFairShare({ policy: "hard", dimensions: [asked] }, NOW);
        last = inOneWord(decision);
        if (!decision.allowed) break;
        passed += 1;
        total += 1;
        used.set(who, mine + 1);
      }
      expect(passed).toBe(Number(row["passes"]));
      if (passed === 0) expect(last).toBe(row["because"]);
    }
    expect(used.get("carol")).toBeUndefined();
  });

  it("names the threshold", () => {
    expect(DEFAULT_SATURATION_THRESHOLD).toBe(0.5);
    expect(page("docs/vocabulary.md")).toContain(`(${String(DEFAULT_SATURATION_THRESHOLD)} of the limit`);
  });
});

describe("docs/windows.md", () => {
  const text = page("docs/windows.md");

  const rows = markdownTable(text, "window");
  test.each(rows)("$window", (row) => {
    const shape = shapeOf(row["window"]!);
    expect(worstCase(shape, 1000)).toBe(Number(row["most in one true hour"]));
    expect.soft(latest(shape)).toBe(row["still counts after it has left, at most"]);
    expect.soft(Math.round(greedy(shape, 1000))).toBe(Number(row["a client that always asks gets per hour"]));
  });

  const anchored = text.slice(text.indexOf("## Anchors"));
  test.each(markdownTable(anchored, "window"))("$window, $anchor, asked at $asked at", (row) => {
    const question = {
      window: row["window"]!.replaceAll("`", "") as WindowName,
      anchor: JSON.parse(row["anchor"]!.replaceAll("`", "")) as Anchor,
    };
    const { opens, resets } = fixedWindowAt(question, Date.parse(row["asked at"]!));
    expect([opens, resets]).toEqual([Date.parse(row["opens"]!), Date.parse(row["resets"]!)]);
    expect((resets - opens) / WINDOW_MS.hourly).toBe(Number(row["hours"]));
  });

  test.each(markdownTable(anchored, "what was said"))("a month: $what was said", (row) => {
    const [, anchor = ""] = /`(.*)`/.exec(row["what was said"]!) ?? [];
    const question = { window: "monthly", anchor: JSON.parse(anchor) as Anchor } as const;
    const found = fixedWindowAt(question, Date.UTC(2026, 1, 3));
    expect(found).toEqual({ opens: Date.parse(row["opens"]!), resets: Date.parse(row["resets"]!) });
    expect(anchored).toContain("Neither ends on 2026-03-03");
  });

  it("writes anchors as plans take them, and names the windows that calendars have", () => {
    const rows = markdownTable(text, "`anchor`");
    expect(rows).toHaveLength(3);
    for (const row of rows) {
      const anchor = JSON.parse(row["`anchor`"]!.replaceAll("`", "")) as Anchor;
      const taking = WINDOWS.filter(
        (window) => parseDimensions([{ unit: "requests", window, limit: 1, anchor }]).ok,
      );
      const named = [...row["windows"]!.matchAll(/`(\w+)`/g)].map(([, name]) => name);
      expect(row["windows"]!.includes(" to ") ? [taking[0], taking.at(-1)] : taking).toEqual(named);
      expect(taking).toHaveLength(row["windows"]!.includes(" to ") ? WINDOWS.length : named.length);
    }
  });

  it("names the length of a month, and the shortest slot", () => {
    expect(anchored).toContain(`a _length_ of ${String(WINDOW_MS.monthly / WINDOW_MS.daily)} days`);
    expect(WINDOW_MS.hourly / 60).toBe(60_000);
    expect(text).toContain("shortest is 1 minute");
  });
});

describe("docs/vocabulary.md", () => {
  const text = page("docs/vocabulary.md");

  it("counts grains and milliseconds as the code does", () => {
    const numbersOf = (first: string, second: string) =>
      Object.fromEntries<number>(
        markdownTable(text, first).map((row) => [row[first]!, Number(row[second])] as const),
      );
    expect(numbersOf("unit", "grains in one")).toEqual(GRAINS_PER_UNIT);
    expect(numbersOf("window", "milliseconds")).toEqual(WINDOW_MS);
    expect(0.1 + 0.7).toBeLessThan(0.8);
  });

  it("explains every status and every reason", () => {
    const statuses: Record<Decision["status"], true> = {
      allowed: true,
      deprioritized: true,
      refused: true,
      ungoverned: true,
      unjudged: true,
      unavailable: true,
    };
    const reasons: Record<RefusalReason, true> = {
      "cap-absolute": true,
      "global-saturated": true,
      "fair-share": true,
      reserved: true,
      "in-flight": true,
      "too-large": true,
      "not-allocated": true,
      contended: true,
    };
    for (const word of Object.keys({ ...statuses, ...reasons })) expect(text).toContain(`\n- \`${word}\`: `);
  });
});

/** The window that a row describes, of an hour: `slots: 4, edge: "full"` and its like. */
function shapeOf(description: string): WindowShape {
  const [, members = ""] = /`(.*)`/.exec(description) ?? [];
  const spec = JSON.parse(`{${members.replaceAll(/(\w+):/g, '"$1":')}}`) as object;
  const parsed = parseDimensions([{ unit: "requests", window: "hourly", limit: 1000, ...spec }]);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.faults));
  return parsed.value[0]!.shape;
}

/** How long after it has left the true window use still counts, at most, in the words of the page. */
function latest(shape: WindowShape): string {
  const lengthMs = shape.slotMs * shape.slots;
  const start = 10 * lengthMs;
  let most = 0;
  for (const at of [start, start + 1, start + shape.slotMs / 2, start + shape.slotMs - 1]) {
    const { goneAt } = windowBucket(shape, currentBucket(shape.slotMs, at));
    most = Math.max(most, goneAt - (at + lengthMs));
  }
  if (most === 0) return "not at all";
  return `${String(most / 60_000)} min${shape.edge === "weighted" ? ", fading" : ""}`;
}

/** What a client that asks in every millisecond that has room gets per hour, in the long run. */
function greedy(shape: WindowShape, limit: number): number {
  const window = countedWindow(shape, limit);
  const start = 1000 * WINDOW_MS.hourly;
  // Whole periods, since a full edge lets go of everything once in so many slots.
  const periodMs = shape.slotMs * (shape.edge === "fixed" ? shape.slots : shape.slots + 1);
  const warm = start + 4 * periodMs;
  const end = start + 16 * periodMs;
  let before = 0;
  let now = start;
  while (now < end) {
    const decision = window.ask(1, now);
    if (now < warm) before = window.admitted;
    if (!decision.allowed) now = decision.retryAt ?? Infinity;
  }
  return ((window.admitted - before) / (end - warm)) * WINDOW_MS.hourly;
}
