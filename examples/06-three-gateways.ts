// Three gateways on ports of their own count in one Redis: together they let pass exactly what the account grants.
import { fork, type ChildProcess } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseDimensions } from "@quota/core";
import { createQuotaEngine } from "@quota/engine";
import { quota } from "@quota/express";
import { startRedisServer } from "@quota/local-redis";
import { openRedisStore } from "@quota/redis";
import { createSqlitePlanOverrides, createSqlitePoolDirectory, openQuotaDatabase } from "@quota/sqlite";
import express from "express";
import { isMain } from "./isMain.js";

const GATEWAYS = 3;
const LIMIT = 90;
const REQUESTS = 240;

/** Starts what is needed, asks all gateways at once, and counts the answers. Uses the Redis of QUOTA_STORE_REDIS_URL if there is one. */
async function main(say: (line: string) => void): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), "quota-"));
  const file = join(directory, "storage.sqlite");
  const given = process.env["QUOTA_STORE_REDIS_URL"];
  const own = given === undefined ? await startRedisServer() : undefined;
  const gateways: ChildProcess[] = [];
  try {
    await makePool(file);
    for (let i = 0; i < GATEWAYS; i += 1)
      gateways.push(fork(fileURLToPath(import.meta.url), [file, given ?? own!.url]));
    const ports = await Promise.all(gateways.map(portOf));
    const answers = await Promise.all(
      Array.from({ length: REQUESTS }, async (_, i) => {
        const answer = await fetch(`http://127.0.0.1:${String(ports[i % GATEWAYS])}/v1/chat`, {
          method: "POST",
        });
        await answer.arrayBuffer();
        return answer.status;
      }),
    );
    const count = (status: number): string => String(answers.filter((each) => each === status).length);
    say(
      `${String(GATEWAYS)} gateways, one Redis, a limit of ${String(LIMIT)}: ${count(200)} answered, ${count(429)} refused`,
    );
  } finally {
    for (const gateway of gateways) gateway.kill();
    await own?.stop();
    await rm(directory, { recursive: true });
  }
}

/** The port on which a gateway listens, once it does. */
async function portOf(gateway: ChildProcess): Promise<number> {
  return await new Promise((resolve, reject) => {
    gateway.once("message", (port) => resolve(Number(port)));
    gateway.once("error", reject);
    gateway.once("exit", (code) =>
      reject(new Error(`A gateway ended with ${String(code)} and said nothing.`)),
    );
  });
}

/** Pools and plans are in a file; gateways on other machines get a copy of them, with the same ids. */
async function makePool(file: string): Promise<void> {
  const db = await openQuotaDatabase({ file });
  const limit = parseDimensions([{ unit: "requests", window: "weekly", limit: LIMIT }]);
  if (!limit.ok) throw new Error("the plan is right");
  await createSqlitePlanOverrides(db).set("team-seat", limit.value);
  const allocations = [{ apiKeyId: "agents", weight: 100 }];
  await createSqlitePoolDirectory(db).create(
    { connectionId: "team-seat", name: "Team", allocations },
    Date.now(),
  );
  db.close();
}

/** One gateway: counts in Redis, by the server's clock, and lets no more than 1 % pass while Redis is away, all three together. */
async function gateway(file: string, redisUrl: string): Promise<void> {
  const db = await openQuotaDatabase({ file });
  const { store, clock } = await openRedisStore(redisUrl);
  const engine = createQuotaEngine({
    store,
    clock,
    pools: createSqlitePoolDirectory(db),
    plans: createSqlitePlanOverrides(db),
    whenStoreFails: { budget: 0.01 },
    replicas: GATEWAYS,
  });
  const identify = () => ({ apiKeyId: "agents", connectionId: "team-seat", provider: "any" });
  const app = express();
  app.use(quota({ engine, identify }));
  app.post("/v1/chat", (_request, response) => void response.json({ answer: "hello" }));
  const server = app.listen(0, "127.0.0.1", () => process.send?.((server.address() as AddressInfo).port));
}

if (isMain(import.meta.url)) {
  const [file, redisUrl] = process.argv.slice(2);
  await (file === undefined || redisUrl === undefined ? main(console.log) : gateway(file, redisUrl));
}
