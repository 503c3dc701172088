import { createServer } from "node:net";
import { once } from "node:events";
import { cpSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { UsageJson } from "@quota/http";
import Database from "better-sqlite3";
import { afterAll, describe, expect, test, vi } from "vitest";
import type { RatesJson } from "../server/rateRoutes.js";
import { temporaryDirectory } from "../test/temporaryDirectory.js";
import { buildDemo, startProcess } from "./startProcess.js";

const built = await buildDemo();
afterAll(() => built.remove());

const start = (env: Record<string, string>, args: string[] = []) => startProcess(built.main, { env, args });

function ask(
  url: string,
  more: RequestInit & {
    readonly key?: string;
    readonly stream?: boolean;
    readonly model?: string;
    readonly content?: string;
  } = {},
) {
  const { key = "sk-demo-alice", stream = false, model = "m", content = "hello", ...init } = more;
  return fetch(`${url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ model, stream, messages: [{ role: "user", content }] }),
    ...init,
  });
}

type SeenUsage = Pick<
  UsageJson["dimensions"][number],
  "consumedTotal" | "held" | "attributed" | "outside" | "reading"
>;

async function usageOf(url: string, dataDir: string, ofSeat = false): Promise<SeenUsage> {
  const headers = { authorization: `Bearer ${readFileSync(join(dataDir, "admin-token"), "utf8").trim()}` };
  const pools = (await (await fetch(`${url}/api/quota/pools`, { headers })).json()) as {
    id: string;
    connectionId: string;
  }[];
  const pool = pools.find(({ connectionId }) => (connectionId === "codex-demo") === ofSeat);
  const usage = (await (
    await fetch(`${url}/api/quota/pools/${pool!.id}/usage`, { headers })
  ).json()) as UsageJson;
  return usage.dimensions[0]!;
}

describe("the demo starts", () => {
  test("on an empty directory, and prints two curl lines that work, and last that it is ready", async () => {
    const dataDir = join(temporaryDirectory(), "not/there/yet");
    const demo = start({ DATA_DIR: dataDir });
    const url = await demo.ready;
    const lines = demo.stdout().trimEnd().split("\n");
    expect(lines.at(-1)).toBe(`ready ${url}`);
    for (const key of ["alice", "bob", "carol"]) expect(demo.stdout()).toContain(`sk-demo-${key}`);
    const [, link] = /^ {2}dashboard +(\S+)$/mu.exec(demo.stdout())!;
    expect(link!.startsWith(`${url}/dashboard/sign-in#code=`)).toBe(true);
    const code = link!.split("#code=")[1];
    const signedIn = await fetch(`${url}/api/session`, { method: "POST", body: JSON.stringify({ code }) });
    expect(signedIn.status).toBe(204);
    // Neither the code nor what it opened is in what a service would keep of its start.
    expect(demo.stderr()).not.toContain(code);

    const pasted = lines.filter((line) => line.startsWith("curl "));
    expect(pasted).toHaveLength(2);
    for (const line of pasted) {
      const answer = await curl(line);
      expect(answer.status).toBe(200);
      expect(await answer.text()).toMatch(/simulated provider|Demo team/u);
    }
    expect(await usageOf(url, dataDir)).toMatchObject({ consumedTotal: 1, held: 0 });
    expect(statSync(join(dataDir, "admin-token")).mode & 0o777).toBe(0o600);
    expect(demo.stdout()).not.toContain(readFileSync(join(dataDir, "admin-token"), "utf8").trim());
  });

  test("with an upstream of its own instead of the simulator", async () => {
    const provider = start({ DATA_DIR: temporaryDirectory() });
    const dataDir = temporaryDirectory();
    const demo = start({
      DATA_DIR: dataDir,
      UPSTREAM_BASE_URL: `${await provider.ready}/v1`,
      UPSTREAM_API_KEY: "sk-demo-bob",
      UPSTREAM_PROVIDER: "kimi",
    });
    const answer = await ask(await demo.ready);
    expect(answer.status).toBe(200);
    expect(await answer.text()).toContain("simulated provider");
    expect(demo.stdout()).not.toContain("simulator");
    expect(demo.stdout() + demo.stderr()).not.toContain("sk-demo-bob\n");
  });

  test("twice on one directory, and both count into it, and a limit per minute holds for both together", async () => {
    const env = { DATA_DIR: temporaryDirectory(), QUOTA_WAIT_S: "0" };
    const [one, two] = [start(env), start(env)];
    const urls = [await one.ready, await two.ready] as const;
    const answers = await Promise.all([0, 1, 0, 1, 0, 1].map((i) => ask(urls[i]!)));
    expect(answers.map(({ status }) => status)).toEqual(Array(6).fill(200));
    await Promise.all(answers.map((answer) => answer.text()));
    // On a busy machine one may have passed unjudged while the other held the file: its use is added within a second.
    await until(async () => (await usageOf(urls[0], env.DATA_DIR)).consumedTotal === 6);
    expect(await usageOf(urls[0], env.DATA_DIR)).toMatchObject({ consumedTotal: 6, held: 0 });

    const token = readFileSync(join(env.DATA_DIR, "admin-token"), "utf8").trim();
    const headers = { authorization: `Bearer ${token}` };
    const body = JSON.stringify({ rpm: 20 });
    await fetch(`${urls[0]}/api/keys/alice`, { method: "PATCH", headers, body });
    // Whoever is asked looks at the plan as it is in the file.
    const ratesOf = async (url: string) =>
      (await (await fetch(`${url}/api/rates/key/alice`, { headers })).json()) as RatesJson;
    const judged = async (url: string): Promise<number> => {
      const answer = await ask(url);
      await answer.text();
      // On a busy machine one may hold the file for so long that the other cannot judge: nobody passes then.
      return answer.status === 503 ? judged(url) : answer.status;
    };
    for (;;) {
      const [before] = await Promise.all(urls.map(ratesOf));
      const told = await Promise.all(urls.flatMap((url) => Array.from({ length: 30 }, () => judged(url))));
      const after = await ratesOf(urls[1]);
      // The minute has turned under way: once more.
      if (after.resetsAt !== before!.resetsAt) continue;
      expect(told.filter((status) => status === 200)).toHaveLength(before!.rpm.left as number);
      expect(after.rpm).toMatchObject({ limit: 20, used: 20, left: 0 });
      break;
    }

    one.child.kill("SIGTERM");
    expect(await one.ended).toBe(0);
    expect((await ask(urls[1], { key: "sk-demo-bob" })).status).toBe(200);
  });

  test("on every address without its demo keys", async () => {
    const demo = start({ DATA_DIR: temporaryDirectory(), HOST: "0.0.0.0" });
    const url = (await demo.ready).replace("0.0.0.0", "127.0.0.1");
    expect((await ask(url)).status).toBe(401);
    expect(demo.stdout()).not.toContain("sk-demo-");
  });
});

describe("the demo does not start, says why in a sentence, and exits with 1", () => {
  const failure = async (env: Record<string, string>, args: string[] = []) => {
    const demo = start(env, args);
    expect(await demo.ended).toBe(1);
    expect(demo.stdout()).toBe("");
    expect(demo.stderr()).not.toMatch(/\n\s+at /u);
    return demo.stderr().trim();
  };
  /** The directory of a gateway that was there, and is not any more. */
  const endedGateway = async () => {
    const dataDir = temporaryDirectory();
    const demo = start({ DATA_DIR: dataDir });
    await demo.ready;
    demo.child.kill("SIGTERM");
    await demo.ended;
    return dataDir;
  };
  const change = (dataDir: string, sql: string) => {
    const db = new Database(join(dataDir, "storage.sqlite"));
    db.exec(sql);
    db.close();
  };

  test("when a variable is out of range", async () => {
    expect(await failure({ PORT: "99999" })).toMatch(/^PORT is "99999"; it must be [^\n]+\.$/u);
  });

  test("when its port is taken", async () => {
    const taken = createServer().listen(0, "127.0.0.1");
    await once(taken, "listening");
    const { port } = taken.address() as { port: number };
    const said = await failure({ DATA_DIR: temporaryDirectory(), PORT: String(port) });
    expect(said).toMatch(new RegExp(`^Port ${port} on 127\\.0\\.0\\.1 is taken; [^\\n]+\\.$`, "u"));
    taken.close();
  });

  test("when its directory is a file, or HOST no address of this machine", async () => {
    const file = join(temporaryDirectory(), "file");
    writeFileSync(file, "");
    const [ofFile, ofNowhere, ofHost] = await Promise.all([
      failure({ DATA_DIR: file }),
      failure({ DATA_DIR: "/proc/quota" }),
      failure({ DATA_DIR: temporaryDirectory(), HOST: "203.0.113.7" }),
    ]);
    expect(ofFile).toContain(file);
    expect(ofNowhere).toContain("/proc/quota");
    expect(ofHost).toContain("HOST");
  });

  test("when its database is no database, was made by a newer version, or has a setting, which goes before the environment, that cannot be followed; nothing is made instead", async () => {
    const dataDir = temporaryDirectory();
    const file = join(dataDir, "storage.sqlite");
    writeFileSync(file, "this is not a database, but it is long enough to look at ".repeat(100));
    expect(await failure({ DATA_DIR: dataDir })).toContain("damaged");
    expect(readFileSync(file, "utf8")).toContain("this is not a database");

    const [damaged, newer, set] = [temporaryDirectory(), temporaryDirectory(), temporaryDirectory()];
    const whole = await endedGateway();
    for (const copy of [newer, set]) cpSync(whole, copy, { recursive: true });
    const bytes = readFileSync(join(whole, "storage.sqlite"));
    // The pages of the tables; the header and the schema are as they were.
    bytes.fill(0xff, 4096 * 3);
    writeFileSync(join(damaged, "storage.sqlite"), bytes);
    change(
      newer,
      "INSERT INTO schema_migrations (namespace, number, name) VALUES ('gateway', 9999, '9999-from-the-future')",
    );
    change(set, `INSERT OR REPLACE INTO quota_settings VALUES ('quotaStore.driver', '"postgres"')`);
    const [ofDamaged, ofNewer, ofSet] = await Promise.all(
      [damaged, newer, set].map((DATA_DIR) => failure({ DATA_DIR })),
    );
    expect(ofDamaged).toContain("damaged");
    expect(ofNewer).toContain("newer version");
    expect(ofSet).toContain("quotaStore.driver");
  });

  test("when a file of its directory is in the way, or there is nothing to back up", async () => {
    const dataDir = temporaryDirectory();
    writeFileSync(join(dataDir, "secrets"), "");
    expect(await failure({ DATA_DIR: dataDir })).toMatch(/secrets cannot be used \(EEXIST\); [^\n]+\.$/u);
    const empty = temporaryDirectory();
    expect(await failure({ DATA_DIR: empty }, ["backup", join(empty, "copy")])).toMatch(
      /^There is no database in DATA_DIR [^\n]+; set DATA_DIR/u,
    );
  });

  test("when it is asked for something it does not do", async () => {
    expect(await failure({}, ["frobnicate"])).toContain("Usage");
  });
});

test("one gateway falls back to SQLite where Redis was asked for, says so, and shows it", async () => {
  const demo = start({ DATA_DIR: temporaryDirectory(), QUOTA_STORE_DRIVER: "redis" });
  const url = await demo.ready;
  expect(demo.stderr()).toContain("quota:factory");
  const health = await fetch(`${url}/healthz`);
  expect([health.status, await health.json()]).toMatchObject([200, { status: "degraded" }]);
});

test("one of several that are to count in Redis starts, and counts nothing until Redis answers", async () => {
  const demo = start({
    DATA_DIR: temporaryDirectory(),
    QUOTA_STORE_DRIVER: "redis",
    QUOTA_STORE_REDIS_URL: "redis://127.0.0.1:1",
    QUOTA_REPLICAS: "2",
  });
  const url = await demo.ready;
  expect(demo.stderr()).toContain("quota:factory");
  const health = await fetch(`${url}/healthz`);
  expect([health.status, await health.json()]).toMatchObject([
    503,
    { status: "degraded", store: { driver: "redis", serving: "none" } },
  ]);
  const answer = await ask(url);
  expect([answer.status, answer.headers.get("quota-status")]).toEqual([200, "unjudged"]);
});

describe("the demo stops", () => {
  test("on SIGTERM: new requests are told 503, streams finish, use is settled, the exit code is 0", async () => {
    const dataDir = temporaryDirectory();
    const demo = start({ DATA_DIR: dataDir });
    const url = await demo.ready;
    const answer = await ask(url, { stream: true, model: "m?chunks=20&chunk-delay-ms=50&answer-tokens=200" });
    const reader = answer.body!.getReader();
    await reader.read();
    demo.child.kill("SIGTERM");
    await until(async () => (await fetch(`${url}/healthz`)).status === 503);
    const late = await ask(url);
    expect([late.status, await late.json()]).toMatchObject([503, { error: { code: "shutting_down" } }]);
    let rest = "";
    for (let piece = await reader.read(); !piece.done; piece = await reader.read())
      rest += Buffer.from(piece.value).toString();
    expect(rest).toMatch(/data: \[DONE\]\n\n$/u);
    expect(await demo.ended).toBe(0);

    const again = start({ DATA_DIR: dataDir });
    expect(await usageOf(await again.ready, dataDir)).toMatchObject({ consumedTotal: 1, held: 0 });
  });

  test("after the grace, or at the second SIGTERM, a second after the first: what still streams is cut off, and settled all the same", async () => {
    const dataDir = temporaryDirectory();
    const stalls = { stream: true, model: "m?failure=stalls-mid-stream" };
    const hasGrace = start({ DATA_DIR: dataDir, SHUTDOWN_GRACE_S: "0.2" });
    const answer = await ask(await hasGrace.ready, stalls);
    await answer.body!.getReader().read();
    hasGrace.child.kill("SIGTERM");
    expect(await hasGrace.ended).toBe(0);

    const isAskedTwice = start({ DATA_DIR: dataDir });
    const url = await isAskedTwice.ready;
    expect(await usageOf(url, dataDir)).toMatchObject({ consumedTotal: 1, held: 0 });
    const second = await ask(url, stalls);
    await second.body!.getReader().read();
    const again = setInterval(() => isAskedTwice.child.kill("SIGTERM"), 100);
    expect(await isAskedTwice.ended).toBe(0);
    clearInterval(again);
    const next = start({ DATA_DIR: dataDir });
    expect(await usageOf(await next.ready, dataDir)).toMatchObject({ consumedTotal: 2, held: 0 });
  });

  test("by kill -9 in a burst: what was acknowledged is counted, holds are gone in two generations, the file is sound", async () => {
    const dataDir = temporaryDirectory();
    const env = { DATA_DIR: dataDir, QUOTA_LEASE_MS: "1000" };
    const demo = start(env);
    const url = await demo.ready;
    // Answered in full and settled before the burst.
    for (let i = 0; i < 5; i += 1) await (await ask(url)).text();
    await until(async () => (await usageOf(url, dataDir)).consumedTotal === 5);
    let answered = 0;
    let acknowledged = 5;
    const burst = Array.from({ length: 40 }, async (_, i) => {
      const answer = await ask(url, { model: i % 2 === 0 ? "m" : "m?latency-ms=60000" });
      await answer.text();
      answered += 1;
      if (answered !== 10) return;
      acknowledged = (await usageOf(url, dataDir)).consumedTotal;
      demo.child.kill("SIGKILL");
    });
    await Promise.allSettled(burst);
    expect(await demo.ended).toBe("SIGKILL");

    const again = start(env);
    const newUrl = await again.ready;
    await until(async () => (await usageOf(newUrl, dataDir)).held === 0);
    const { consumedTotal } = await usageOf(newUrl, dataDir);
    // What it said was settled is; of the 20 that could be answered, some may have been settled after that.
    expect(consumedTotal).toBeGreaterThanOrEqual(acknowledged);
    expect(consumedTotal).toBeLessThanOrEqual(5 + 20);
    expect((await fetch(`${newUrl}/healthz`)).status).toBe(200);
    expect((await ask(newUrl)).status).toBe(200);
  });

  test("by kill -9 in the middle of streams on a percentage: holds are gone in two generations, and all that the provider tells is somebody's", async () => {
    const dataDir = temporaryDirectory();
    const env = { DATA_DIR: dataDir, QUOTA_LEASE_MS: "1000" };
    const model = "gpt-codex-simulated";
    /** What is told, and whose it is. */
    const sums = async (url: string) => {
      const { attributed, outside, reading } = await usageOf(url, dataDir, true);
      return [Math.round((attributed + outside) * 1e6), Math.round((reading?.utilization ?? 0) * 1e8)];
    };
    const rise = async (url: string): Promise<void> => {
      const key = "sk-demo-bob";
      const before = (await sums(url))[1]!;
      for (;;) {
        await (await ask(url, { key, model })).text();
        const [somebodys, told] = await sums(url);
        expect(somebodys).toBe(told);
        if (told! > before) return;
      }
    };
    const demo = start(env);
    const url = await demo.ready;
    await rise(url);
    const content = "[simulate latency-ms=60000]";
    const streams = Array.from({ length: 5 }, () => ask(url, { model, content, stream: true }));
    await until(async () => (await usageOf(url, dataDir, true)).held > 0);
    demo.child.kill("SIGKILL");
    await Promise.allSettled(streams);

    const again = start(env);
    const newUrl = await again.ready;
    await until(async () => (await usageOf(newUrl, dataDir, true)).held === 0);
    await rise(newUrl);
  });
});

test("a backup is a whole gateway again, made while the first one runs; the secrets of connections are not in it", async () => {
  const dataDir = temporaryDirectory();
  const demo = start({ DATA_DIR: dataDir });
  const url = await demo.ready;
  await (await ask(url)).text();
  await until(async () => (await usageOf(url, dataDir)).held === 0);

  const restored = temporaryDirectory();
  const copy = join(restored, "storage.sqlite");
  expect(await start({ DATA_DIR: dataDir }, ["backup", copy]).ended).toBe(0);
  expect(readFileSync(copy).includes("sk-simulated-account")).toBe(false);
  const second = start({ DATA_DIR: dataDir }, ["backup", copy]);
  expect(await second.ended).toBe(1);
  expect(second.stderr()).toContain("exists");

  const again = start({ DATA_DIR: restored });
  const newUrl = await again.ready;
  expect(await usageOf(newUrl, restored)).toMatchObject({ consumedTotal: 1, held: 0 });
  expect((await ask(newUrl)).status).toBe(200);
});

/** Asks again until it is so: not at once, as what is asked needs the processor to get there. */
async function until(isSo: () => Promise<boolean>): Promise<void> {
  await vi.waitUntil(isSo, { interval: 20, timeout: 30_000 });
}

/** Does what the pasted line would: address, -H and -d, in single quotes. */
async function curl(line: string): Promise<Response> {
  const words = [...line.matchAll(/'([^']*)'|(\S+)/gu)].map(([, quoted, bare]) => quoted ?? bare!);
  const after = (flag: string) => words.flatMap((word, i) => (word === flag ? [words[i + 1]!] : []));
  const headers = after("-H").map((header) => header.split(/:\s*/u, 2) as [string, string]);
  const [body] = after("-d");
  const url = words.find((word) => word.startsWith("http"))!;
  return await fetch(url, {
    headers,
    method: body === undefined ? "GET" : "POST",
    ...(body === undefined ? {} : { body }),
  });
}
