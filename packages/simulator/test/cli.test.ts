import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { generateTrace, traceText } from "@quota/simulator";
import { HELP } from "../src/cli/help.js";
import { readArguments } from "../src/cli/readArguments.js";

const run = promisify(execFile);
const root = join(import.meta.dirname, "..");

// Programs are compiled as they start, which takes its time where a machine is busy.
describe("the command", { timeout: 120_000 }, () => {
  let folder = "";
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "quota-simulate-"));
  });
  afterAll(() => rm(folder, { recursive: true }));

  it("plays a trace in processes of its own, prints the table, and writes report and figures", async () => {
    const trace = generateTrace({ shape: "mixed", clients: 3, days: 0.5, seed: "1" });
    await writeFile(join(folder, "traffic.csv"), traceText(trace));
    const { stdout } = await simulate(
      "traffic.csv",
      "--limit=50",
      "--rules=threshold",
      "--json=figures.json",
    );
    expect(stdout).toMatch(
      /traffic\.csv: 3 keys, 3 windows \(5h\) of 50 requests, equal weights, load 1, seed 1\./u,
    );
    expect(stdout).toMatch(/\nthreshold +\d+\.\d %/u);
    const [utilization = "none"] = /\d+\.\d %/u.exec(stdout) ?? [];
    expect(await readFile(join(folder, "simulation.html"), "utf8")).toContain(`<td>${utilization}</td>`);
    const figures: unknown = JSON.parse(await readFile(join(folder, "figures.json"), "utf8"));
    expect(figures).toMatchObject([{ windows: 3, results: [{ rule: { name: "threshold" } }] }]);
  });

  it("says what is wrong with a file, and nothing of its own insides", async () => {
    await writeFile(join(folder, "bad.csv"), "client,slot,requests_per_second,gap_cv\na,0,fast,1\n");
    await expect(simulate("bad.csv")).rejects.toMatchObject({
      code: 1,
      stdout: "",
      stderr: expect.stringMatching(
        /bad\.csv, line 2, requests_per_second: is "fast"\. Write a number from 0\.\n$/u,
      ),
    });
  });

  function simulate(...args: readonly string[]): Promise<{ readonly stdout: string }> {
    const tsx = join(root, "node_modules", ".bin", "tsx");
    const env = { ...process.env, INIT_CWD: folder };
    return run(tsx, ["--conditions=@quota/source", "src/cli/main.ts", ...args], { cwd: root, env });
  }
});

describe("its arguments", () => {
  it("have defaults", () => {
    expect(readArguments([])).toMatchObject({
      ...{ window: "5h", limit: 3000, load: 1, weights: [1], seed: "1", report: "simulation.html" },
      traffic: { from: "generator", shape: "mixed", clients: 20, days: 14 },
    });
  });

  it.each([
    ["a file", ["a.csv"], { from: "file", path: "a.csv" }],
    ["a log", ["--record", "a.log", "--client", "team"], { from: "log", path: "a.log", client: "team" }],
    ["something made up", ["--shape", "on-off", "--days=2"], { from: "generator", shape: "on-off", days: 2 }],
    ["a script", ["--script", "lone-key"], { from: "scripts", name: "lone-key" }],
    ["all scripts", ["--", "--scripts"], { from: "scripts", name: undefined }],
  ])("name the traffic: %s", (_what, args, traffic) => {
    expect(readArguments(args).traffic).toMatchObject(traffic);
  });

  it.each([
    [["--limit", "0"], '--limit: "0" is not one. Write a whole number above 0.'],
    [["--limit=2.5"], "--limit:"],
    [["--load=much"], '--load: "much" is not one. Write a number above 0.'],
    [["--weights=1,-2"], "--weights:"],
    [["--weights=0,0"], "--weights:"],
    [["--window=6h"], '--window: "6h" is not known. Take one of hourly, 5h, '],
    [["--rules=open,fair"], 'rules: "fair" is no rule'],
    [["--rules=open,open"], '--rules: names "open" twice'],
    [["--shape=round"], "--shape:"],
    [["--speed=2"], "--arguments: Unknown option '--speed'"],
    [["a.csv", "--scripts"], "name more than one traffic: a.csv and --scripts"],
    [["a.csv", "b.csv"], "name more than one traffic: a.csv and b.csv"],
  ])("%j are refused with the option and the remedy", (args, message) => {
    expect(() => readArguments(args)).toThrow(
      expect.objectContaining({ message: expect.stringContaining(message) }),
    );
  });

  it("are all in the help", () => {
    const options = [
      "window",
      "limit",
      "load",
      "weights",
      "seed",
      "rules",
      "report",
      "json",
      "save",
      "processes",
    ];
    const more = ["record", "client", "message", "shape", "clients", "days", "script", "scripts"];
    for (const option of [...options, ...more]) expect(HELP).toContain(`--${option} `);
  });
});
