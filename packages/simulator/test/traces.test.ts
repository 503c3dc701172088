import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { generateTrace, parseTrace, readTrace, traceText, TRACE_SHAPES, type Trace } from "@quota/simulator";

const HEADER = "client,slot,requests_per_second,gap_cv";

describe("a trace in a file", () => {
  let folder = "";
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "quota-traces-"));
  });
  afterAll(() => rm(folder, { recursive: true }));

  it("is read, and gzipped, too", async () => {
    const text = `${HEADER}\nalice,0,1.5,1\nbob,3,2,0.5\n`;
    await writeFile(join(folder, "a.csv"), text);
    await writeFile(join(folder, "a.csv.gz"), gzipSync(text));
    const plain = await readTrace(join(folder, "a.csv"));
    expect(plain).toEqual([
      { client: "alice", slot: 0, requestsPerSecond: 1.5, gapCv: 1 },
      { client: "bob", slot: 3, requestsPerSecond: 2, gapCv: 0.5 },
    ]);
    expect(await readTrace(join(folder, "a.csv.gz"))).toEqual(plain);
  });

  it("that is not there, or not gzipped, is named, with the remedy", async () => {
    await writeFile(join(folder, "b.csv.gz"), HEADER);
    await expect(readTrace(join(folder, "none.csv"))).rejects.toThrow(
      /none\.csv: cannot be read .*ENOENT.*path/,
    );
    await expect(readTrace(join(folder, "b.csv.gz"))).rejects.toThrow(
      /b\.csv\.gz: is not gzipped\. Take \.gz/,
    );
  });
});

describe("a table that is no trace is refused, with file, line, field and remedy", () => {
  it.each([
    [
      "without a column",
      "client,slot,gap_cv\na,0,1",
      "line 1, requests_per_second: is not among",
      "first line",
    ],
    ["empty", "", "line 1, client: is not among", "first line"],
    ["with nothing below its header", HEADER, "requests_per_second: is above 0 in no line", "Write a line"],
    [
      "with rates of 0 alone",
      `${HEADER}\na,0,0,1`,
      "requests_per_second: is above 0 in no line",
      "Write a line",
    ],
    ["with a client that has no name", `${HEADER}\n,0,1,1`, "line 2, client: is missing", "who sent"],
    ["with half a slot", `${HEADER}\na,0.5,1,1`, 'line 2, slot: is "0.5"', "whole number"],
    ["with a slot before the beginning", `${HEADER}\na,-1,1,1`, 'line 2, slot: is "-1"', "whole number"],
    ["with a time for a slot", `${HEADER}\na,1767312000000,1,1`, "line 2, slot", "whole number"],
    [
      "with a word for a rate",
      `${HEADER}\na,0,1,1\na,1,fast,1`,
      'line 3, requests_per_second: is "fast"',
      "number",
    ],
    ["with a rate below 0", `${HEADER}\na,0,-1,1`, 'line 2, requests_per_second: is "-1"', "number from 0"],
    ["with an endless rate", `${HEADER}\na,0,Infinity,1`, "line 2, requests_per_second", "number from 0"],
    ["with gaps that vary beyond all measure", `${HEADER}\na,0,1,100000`, "line 2, gap_cv", "from 0 to 1000"],
    ["with a line cut short", `${HEADER}\na,0,1`, "line 2, gap_cv: is missing", "Poisson"],
    [
      "with a slot twice",
      `${HEADER}\na,0,1,1\nb,0,1,1\na,0,2,1`,
      "line 4, slot: says slot 0 of client a again: line 2",
      "one line",
    ],
  ])("%s", (_what, text, fault, remedy) => {
    expect(() => parseTrace(text, "traffic.csv")).toThrow(
      expect.objectContaining({
        name: "TraceError",
        message: expect.stringContaining(fault),
        remedy: expect.stringContaining(remedy),
        source: "traffic.csv",
      }),
    );
  });

  it("though columns may stand in any order, beside others, and lines may be empty", () => {
    const text = `\uFEFFgap_cv,slot,note,client,requests_per_second\r\n1,4,hi,a,2\r\n\r\n`;
    expect(parseTrace(text, "t")).toEqual([{ client: "a", slot: 4, requestsPerSecond: 2, gapCv: 1 }]);
  });
});

it("a trace that is written is read as it was", () => {
  const slot = fc.record({
    client: fc.stringMatching(/^[a-z@:]{1,5}$/),
    slot: fc.nat(1000),
    requestsPerSecond: fc.integer({ min: 1, max: 99_999 }).map((n) => n / 100),
    gapCv: fc.nat(999).map((n) => n / 100),
  });
  const trace = fc.uniqueArray(slot, {
    minLength: 1,
    selector: ({ client, slot }) => `${String(slot)} ${client}`,
  });
  fc.assert(
    fc.property(trace, (slots) => {
      expect(parseTrace(traceText(slots), "t")).toEqual(slots);
    }),
  );
});

it("a client whose name does not fit into the table is not written", () => {
  const slot = { client: "a,b", slot: 0, requestsPerSecond: 1, gapCv: 1 };
  expect(() => traceText([slot])).toThrow(/"a,b" has a comma/);
});

describe("a trace that is made up", () => {
  it.each(TRACE_SHAPES)("is the same for the same seed, and another for another: %s", (shape) => {
    const made = (seed: string): Trace => generateTrace({ shape, clients: 4, days: 2, seed });
    expect(made("1")).toEqual(made("1"));
    expect(made("2")).not.toEqual(made("1"));
    expect(parseTrace(traceText(made("1")), shape)).toHaveLength(made("1").length);
  });

  it("has clients that are away for hours, where it is on-off", () => {
    const trace = generateTrace({ shape: "on-off", clients: 20, days: 14, seed: "1" });
    const there = trace.length / (20 * 14 * 144);
    expect(there).toBeGreaterThan(0.1);
    expect(there).toBeLessThan(0.7);
  });

  it("has a day and a night, where it is diurnal", () => {
    for (const rates of ratesOf(generateTrace({ shape: "diurnal", clients: 10, days: 7, seed: "1" }))) {
      const hours = Array.from({ length: 24 }, (_, hour) =>
        mean(rates.filter((_, slot) => Math.floor((slot % 144) / 6) === hour)),
      );
      expect(Math.max(...hours)).toBeGreaterThan(2 * Math.min(...hours));
    }
  });

  it("is sent by a few, in bursts, where it is heavy-tailed", () => {
    const trace = generateTrace({ shape: "heavy-tailed", clients: 40, days: 7, seed: "1" });
    const sums = ratesOf(trace)
      .map((rates) => mean(rates) * rates.length)
      .sort((a, b) => b - a);
    expect(mean(sums.slice(0, 8)) * 8).toBeGreaterThan(0.5 * mean(sums) * sums.length);
    const bursts = trace.map(({ gapCv }) => gapCv).sort((a, b) => a - b);
    expect(bursts.at(-1)).toBeGreaterThan(10 * bursts[bursts.length >> 1]!);
  });

  it.each([
    [{ shape: "square" as "mixed" }, /shape: "square" is no shape\. Take one of mixed/],
    [{ clients: 0 }, /clients: must be a whole number/],
    [{ days: 0 }, /days: must be a number above 0/],
  ])("is not made from %o", (fault, message) => {
    expect(() => generateTrace({ shape: "mixed", clients: 1, days: 1, seed: "1", ...fault })).toThrow(
      message,
    );
  });

  /** Of each client, by slot. */
  function ratesOf(trace: Trace): readonly (readonly number[])[] {
    const rates = new Map<string, number[]>();
    for (const { client, requestsPerSecond } of trace)
      rates.set(client, [...(rates.get(client) ?? []), requestsPerSecond]);
    return [...rates.values()];
  }
});

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
