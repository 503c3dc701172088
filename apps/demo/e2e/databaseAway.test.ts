import { join } from "node:path";
import Database from "better-sqlite3";
import { expect, test } from "vitest";
import { startTestGateway } from "../test/startTestGateway.js";
import { temporaryDirectory } from "../test/temporaryDirectory.js";

test("while another process keeps the database locked requests pass unjudged, and are counted once it lets go", async () => {
  const dataDir = temporaryDirectory();
  const gateway = await startTestGateway({ dataDir });
  await gateway.plan([{ unit: "requests", window: "hourly", limit: 100 }]);
  const neighbour = new Database(join(dataDir, "storage.sqlite"));
  neighbour.exec("BEGIN IMMEDIATE");

  const answer = await gateway.ask("alice");
  expect(answer.status).toBe(200);
  expect(answer.headers.get("quota-status")).toBe("unjudged");
  expect(answer.headers.get("ratelimit")).toBeNull();
  await answer.text();
  const health = await fetch(`${gateway.url}/healthz`);
  expect([health.status, await health.json()]).toMatchObject([503, { status: "failing" }]);
  expect(await (await fetch(`${gateway.url}/metrics`)).text()).toContain("quota_unjudged_total 1");
  expect(gateway.logged.join("")).toContain("quota:enforce");

  neighbour.exec("ROLLBACK");
  neighbour.close();
  while ((await gateway.usage()).dimensions[0]!.consumedTotal === 0) await (await gateway.ask("bob")).text();
  await gateway.quiet();
  while (gateway.engine.status().remembered > 0) await new Promise((resolve) => setImmediate(resolve));
  const { perKey } = (await gateway.usage()).dimensions[0]!;
  expect(perKey.find(({ apiKeyId }) => apiKeyId === "alice")).toMatchObject({ consumed: 1, held: 0 });
  expect((await fetch(`${gateway.url}/healthz`)).status).toBe(200);
});
