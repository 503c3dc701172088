import { cpSync, mkdirSync, readdirSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describeWithRedis } from "@quota/local-redis/vitest";
import { afterAll, expect, test } from "vitest";
import { temporaryDirectory } from "../test/temporaryDirectory.js";
import { buildDemo, startProcess } from "./startProcess.js";

const built = await buildDemo();
afterAll(() => built.remove());

const health = async (url: string) => await (await fetch(`${url}/healthz`)).json();

describeWithRedis("the demo with --redis", () => {
  test("starts a private redis-server, counts in it, and ends it", async () => {
    const demo = startProcess(built.main, { env: { DATA_DIR: temporaryDirectory() }, args: ["--redis"] });
    const url = await demo.ready;
    expect(await health(url)).toMatchObject({ status: "ok", store: { driver: "redis", serving: "redis" } });
    const answer = await fetch(`${url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: "Bearer sk-demo-bob", "content-type": "application/json" },
      body: JSON.stringify({ model: "m", messages: [{ role: "user", content: "hello" }] }),
    });
    expect([answer.status, answer.headers.get("quota-status")]).toEqual([200, null]);
    await answer.text();
    demo.child.kill("SIGTERM");
    expect(await demo.ended).toBe(0);
  });
});

test("without ioredis, which is optional, one gateway counts in SQLite and says what is missing", async () => {
  // The gateway with everything beside it but ioredis.
  const place = temporaryDirectory();
  cpSync(dirname(built.main), place, { recursive: true });
  const modules = fileURLToPath(new URL("../node_modules", import.meta.url));
  mkdirSync(join(place, "node_modules"));
  for (const name of readdirSync(modules))
    if (name !== "ioredis" && !name.startsWith("."))
      symlinkSync(join(modules, name), join(place, "node_modules", name));
  const env = {
    DATA_DIR: temporaryDirectory(),
    QUOTA_STORE_DRIVER: "redis",
    QUOTA_STORE_REDIS_URL: "redis://127.0.0.1:6379",
  };
  const demo = startProcess(join(place, "main.js"), { env });
  const url = await demo.ready;
  expect(demo.stderr()).toContain("quota:factory");
  expect(await health(url)).toMatchObject({
    status: "degraded",
    reasons: [expect.stringContaining("ioredis is not installed")],
    store: { driver: "redis", serving: "sqlite" },
  });
});
