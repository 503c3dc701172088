import { startRedisCluster } from "@quota/local-redis";
import { describeWithRedis } from "@quota/local-redis/vitest";
import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { liveCounters, openRedisStore } from "../src/index.js";
import { everyone, one } from "./counting.js";
import { places } from "./places.js";

/** What docs/redis.md says is needed, as `ACL SETUSER` takes it. */
async function rights(where: "one server" | "a cluster"): Promise<readonly string[]> {
  const page = await readFile(new URL("../../../docs/redis.md", import.meta.url), "utf8");
  const [line = ""] = /^Rights that are needed: .*$/m.exec(page) ?? [];
  const [everywhere = "", inACluster = ""] = line.split("in a cluster");
  const named = where === "a cluster" ? everywhere + inACluster : everywhere;
  const commands = [...named.matchAll(/`([A-Z]+(?: [A-Z]+)?)`/g)].map(([, name = ""]) => name.toLowerCase());
  return ["on", ">secret", "~quota:*", ...commands.map((name) => `+${name.replace(" ", "|")}`)];
}

/** Counts, reads and lists as a user who may do that and nothing else. */
async function counts(url: string): Promise<void> {
  const { store, redis, clock, close } = await openRedisStore(url.replace("://", "://gateway:secret@"));
  for (let i = 0; i < 2; i += 1) await store.transact(one());
  expect(await store.read("ledger", [everyone])).toEqual([2]);
  const listed = [];
  for await (const { amounts } of liveCounters(redis, {}, clock.now())) listed.push(...amounts);
  expect(listed).toEqual([2]);
  await close();
}

describeWithRedis("the rights that docs/redis.md names are enough", () => {
  const place = places();

  test("on one server", async () => {
    const { server } = await place();
    await server.ask("ACL", "SETUSER", "gateway", ...(await rights("one server")));
    await counts(server.url);
  });

  test("on a cluster", async () => {
    const cluster = await startRedisCluster();
    const named = await rights("a cluster");
    for (const node of cluster.nodes) await node.ask("ACL", "SETUSER", "gateway", ...named);
    await counts(cluster.nodes[0]!.url);
    await cluster.stop();
  });
});
