import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describeWithRedis } from "@quota/local-redis/vitest";
import { expect, it } from "vitest";
import { main as decide } from "../01-decide.js";
import { main as oneProcess } from "../02-one-process.js";
import { main as express } from "../04-express.js";

async function saidBy(
  main: (say: (line: string) => void) => void | Promise<void>,
): Promise<readonly string[]> {
  const said: string[] = [];
  await main((line) => said.push(line));
  return said;
}

/** Runs an example the way a reader does. */
async function run(name: string): Promise<readonly string[]> {
  const runner = fileURLToPath(new URL("../run.js", import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, [runner, name]);
  return stdout.trimEnd().split("\n");
}

it("01 decides without a store", async () => {
  expect(await saidBy(decide)).toEqual([
    "bob used 40, everybody 45: allowed, generous, 0 of 30 left",
    "bob used 40, everybody 60: refused (fair-share), strict, 0 of 30 left",
    "alice used 20, everybody 60: allowed, strict, 30 of 50 left",
    "carol used 35, everybody 60: allowed, strict, 0 of 20 left",
    "carol used 35, everybody 100: refused (global-saturated), strict, 0 of 20 left",
  ]);
});

it("02 lends until half of the pool is used, then holds bob to his share", async () => {
  expect(await saidBy(oneProcess)).toEqual([
    "allowed",
    "bob is refused after 750 requests: fair-share",
    "alice is allowed",
    "alice has used 0 of 1050",
    "bob has used 750 of 450",
  ]);
});

it("03 admits the limit exactly, however many processes share it", async () => {
  expect(await run("03")).toEqual(["3 processes, a limit of 300: 300 admitted"]);
});

describeWithRedis("06, on a redis-server of its own,", () => {
  it("lets three gateways together answer the limit exactly", async () => {
    expect(await run("06")).toEqual(["3 gateways, one Redis, a limit of 90: 90 answered, 150 refused"]);
  });
});

it("04 refuses through the middleware, and counts what the answers say", async () => {
  expect(await saidBy(express)).toEqual([
    "bob, turn 1: 200",
    "bob, turn 2: 200",
    "bob, turn 3: 200",
    "bob, turn 4: 200",
    "bob, turn 5: 200",
    "bob, turn 6: 429 quota_fair_share",
    "alice: 200",
    "nobody: 401",
    "alice has used 400 tokens",
    "bob has used 2000 tokens",
  ]);
});
