import type { Decision } from "@quota/core";
import type { RatedAdmission, WaitingRoom } from "@quota/engine";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createDecisionLog } from "../server/decisions/createDecisionLog.js";
import { createMinuteCounter } from "../server/decisions/createMinuteCounter.js";

const REFUSED = { status: "refused", allowed: false, reason: "fair-share", dimensions: [] } as const;

/** A log that watches a room which answers what the test says. */
function watched() {
  const time = { now: Date.UTC(2026, 0, 5, 12) };
  const log = createDecisionLog({ now: () => time.now });
  let answer: Decision = REFUSED;
  const room = log.watchRoom({
    admit: async () => ({ decision: answer }) as RatedAdmission,
    settle: async () => undefined,
    release: async () => undefined,
    get waiting() {
      return 7;
    },
  } satisfies WaitingRoom<RatedAdmission>);
  const decide = async (connectionId: string, decision: Decision = REFUSED, apiKeyId = "alice") => {
    answer = decision;
    return room.admit({ apiKeyId, connectionId, provider: "kimi" });
  };
  return { log, room, time, decide };
}

describe("the log of decisions", () => {
  const statuses: [decision: Decision, kept: number, refusals: number][] = [
    [REFUSED, 1, 1],
    [{ status: "unavailable", allowed: false, cause: new Error("secret"), dimensions: [] }, 1, 1],
    [{ status: "unjudged", allowed: true, cause: new Error("secret"), dimensions: [] }, 1, 0],
    [{ status: "allowed", allowed: true, dimensions: [] }, 0, 0],
    [{ status: "deprioritized", allowed: true, decidedBy: "usd/daily", dimensions: [] }, 0, 0],
    [{ status: "ungoverned", allowed: true, why: "no-pool", dimensions: [] }, 0, 0],
  ];
  test.each(statuses)(
    "of %j keeps %d and counts %d, and what is answered stays as it is",
    async (said, kept, refusals) => {
      const { log, room, decide } = watched();
      expect(await decide("seat", said)).toEqual({ decision: said });
      expect(log.newest()).toHaveLength(kept);
      expect(log.refusalsLastHour()).toBe(refusals);
      expect(room.waiting).toBe(7);
      for (const { decision } of log.newest())
        expect(Object.values(decision)).not.toContainEqual(expect.any(Error));
    },
  );

  test("keeps the newest 200 of a connection, and 1000 connections", async () => {
    const { log, decide } = watched();
    for (let i = 0; i < 1001; i += 1) await decide(`seat ${String(i)}`);
    for (let i = 0; i < 450; i += 1) await decide("seat 1");
    expect(log.newest({ connectionId: "seat 0" })).toEqual([]);
    expect(log.newest({ connectionId: "seat 2" })).toHaveLength(1);
    const kept = log.newest({ connectionId: "seat 1" }).map(({ sequence }) => sequence);
    expect(kept).toEqual(Array.from({ length: 200 }, (_, i) => 1451 - i));
  });

  test("property: tells the newest 200 of what was asked for, newest first, from all connections", async () => {
    const noted = fc.array(fc.tuple(fc.nat(2), fc.nat(1)), { minLength: 500, maxLength: 900, size: "max" });
    await fc.assert(
      fc.asyncProperty(noted, fc.option(fc.nat(1), { nil: undefined }), async (list, key) => {
        const { log, decide } = watched();
        for (const [seat, who] of list) await decide(`seat ${String(seat)}`, REFUSED, `key ${String(who)}`);
        // Only 200 of each connection are there any more.
        const model = list
          .map(([seat, who], i) => ({ seat, who, sequence: i + 1 }))
          .filter(({ seat, sequence }) => list.slice(sequence).filter(([s]) => s === seat).length < 200)
          .filter(({ who }) => key === undefined || who === key)
          .reverse()
          .slice(0, 200);
        const told = log.newest({ apiKeyId: key === undefined ? undefined : `key ${String(key)}` });
        expect(told.map(({ sequence }) => sequence)).toEqual(model.map(({ sequence }) => sequence));
      }),
      { numRuns: 20 },
    );
  });
});

test("property: counts what happened in the last minutes, the one that runs included", () => {
  fc.assert(
    fc.property(
      fc.array(fc.nat(200_000), { maxLength: 60 }),
      fc.integer({ min: 1, max: 60 }),
      (gaps, minutes) => {
        const counter = createMinuteCounter(minutes);
        const times: number[] = [];
        let now = 1_000_000_000_000;
        for (const gap of gaps) {
          now += gap;
          counter.count(now);
          times.push(Math.floor(now / 60_000));
        }
        const oldest = Math.floor(now / 60_000) - minutes + 1;
        expect(counter.within(now)).toBe(times.filter((minute) => minute >= oldest).length);
      },
    ),
  );
});
