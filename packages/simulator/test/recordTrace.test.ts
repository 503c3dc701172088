import { describe, expect, it } from "vitest";
import { parseTrace, recordTrace, traceText } from "@quota/simulator";
import { arrivalsOf } from "../src/arrivals.js";

const START = Date.UTC(2026, 0, 5, 12);

describe("a trace recorded from a gateway's log", () => {
  it("counts every client's requests in slots from the first one, when they arrived", () => {
    const log = [
      line({ time: START + 1_000, apiKeyId: "alice" }),
      line({ time: START + 2_000, apiKeyId: "alice", status: 429 }),
      line({ time: START + 4_000, apiKeyId: "alice" }),
      // Arrived in the slot before the one it was answered in.
      line({ time: START + 600_100, ms: 200, apiKeyId: "bob" }),
      line({ time: new Date(START + 1_200_000).toISOString(), apiKeyId: "bob" }),
      JSON.stringify({ level: 30, time: START, msg: "stopping" }),
      line({ time: START + 5_000 }),
      line({ time: START + 5_000, apiKeyId: null }),
      "",
    ].join("\n");
    expect(recordTrace(log, "gateway.log")).toEqual([
      { client: "alice", slot: 0, requestsPerSecond: 3 / 600, gapCv: 500 / 1500 },
      { client: "bob", slot: 0, requestsPerSecond: 1 / 600, gapCv: 1 },
      { client: "bob", slot: 2, requestsPerSecond: 1 / 600, gapCv: 1 },
    ]);
  });

  it("takes other names for the client and the message", () => {
    const log = JSON.stringify({ time: START, team: "red", msg: "done" });
    expect(recordTrace(log, "gateway.log", { client: "team", message: "done" })).toMatchObject([
      { client: "red" },
    ]);
  });

  it("has the rates and the bursts of the trace that the log's requests were drawn from", () => {
    const [perSecond, gapCv, slots] = [2, 1.7, 30];
    const rates = {
      slotMs: 600_000,
      perMs: new Float64Array(slots).fill(perSecond / 1000),
      gapCv: new Float64Array(slots).fill(gapCv),
    };
    const next = arrivalsOf(rates, "seed");
    const lines: string[] = [];
    for (let at = next(); at !== Infinity; at = next())
      lines.push(line({ time: START + at + 150, ms: 150, apiKeyId: "alice" }));
    const trace = parseTrace(traceText(recordTrace(lines.join("\n"), "gateway.log")), "trace.csv");
    expect(trace.map(({ slot }) => slot)).toEqual(Array.from({ length: slots }, (_, slot) => slot));
    const mean = (of: (slot: (typeof trace)[number]) => number): number =>
      trace.reduce((sum, slot) => sum + of(slot), 0) / slots;
    expect(mean(({ requestsPerSecond }) => requestsPerSecond)).toBeCloseTo(perSecond, 1);
    expect(Math.abs(mean((slot) => slot.gapCv) - gapCv)).toBeLessThan(0.1);
  });

  it.each([
    ["a line that is no JSON", "hello", "gateway.log, line 1: is not JSON", "JSON lines"],
    ["a line that is no object", "\n[1]", "gateway.log, line 2: is not an object", "JSON lines"],
    ["no time", line({ apiKeyId: "a" }), "line 1, time: is missing", "epoch ms"],
    ["a time that is none", line({ time: "noon", apiKeyId: "a" }), 'line 1, time: is "noon"', "epoch ms"],
    [
      "a duration that is none",
      line({ time: 1, ms: -1, apiKeyId: "a" }),
      "line 1, ms: is -1",
      "milliseconds",
    ],
    ["a client that is none", line({ time: 1, apiKeyId: 7 }), "line 1, apiKeyId: is 7", "Log an id"],
    ["a client with a comma", line({ time: 1, apiKeyId: "a,b" }), 'apiKeyId: is "a,b"', "without commas"],
    ["requests of nobody alone", line({ time: 1 }), "apiKeyId: is in none of 1 lines", "which key"],
    [
      "no requests",
      JSON.stringify({ time: 1, msg: "up" }),
      'msg: is "answered" in no line',
      "Name the message",
    ],
  ])("is refused with file, line, member and remedy: %s", (_what, log, fault, remedy) => {
    expect(() => recordTrace(log, "gateway.log")).toThrow(
      expect.objectContaining({
        name: "TraceError",
        message: expect.stringContaining(fault),
        remedy: expect.stringContaining(remedy),
      }),
    );
  });

  function line(members: Readonly<Record<string, unknown>>): string {
    return JSON.stringify({ level: 20, status: 200, path: "/v1/messages", ...members, msg: "answered" });
  }
});
