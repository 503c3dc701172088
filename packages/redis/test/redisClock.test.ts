import { parseDimensions, type Dimension } from "@quota/core";
import { createMemoryPlanOverrides, createMemoryPoolDirectory, createQuotaEngine } from "@quota/engine";
import { startFaultProxy, startRedisCluster, type FaultProxy } from "@quota/local-redis";
import { describeWithRedis } from "@quota/local-redis/vitest";
import { Cluster } from "ioredis";
import { afterEach, expect, test, vi } from "vitest";
import { createRedisStore, redisClock, redisClusterOptions } from "../src/index.js";
import { places } from "./places.js";

const MINUTES = 60_000;
const HOUR = 60 * MINUTES;

describeWithRedis("redisClock", () => {
  const place = places();
  afterEach(() => void vi.useRealTimers());

  /** What a process sees whose own clock is so far ahead. */
  function ahead(ms: number): void {
    vi.useFakeTimers({ toFake: ["Date"], now: vi.getRealSystemTime() + ms });
  }

  test("answers the server's time, whatever this machine's clock says", async () => {
    const { open } = await place();
    const { redis } = await open();
    ahead(-10 * MINUTES);
    const late = await redisClock(redis);
    ahead(10 * MINUTES);
    const early = await redisClock(redis);
    expect(Math.abs(late.now() - early.now())).toBeLessThan(MINUTES);
    expect(Math.abs(late.now() - vi.getRealSystemTime())).toBeLessThan(MINUTES);
    expect(early.aheadMs).toBeLessThan(-9 * MINUTES);
    late.close();
    early.close();
  });

  test("never steps back, when the server's clock does; and follows it ahead", async () => {
    const { proxy, open } = await place();
    const { redis } = await open();
    let shift = 0;
    proxy.onReply = shiftedTime(() => shift);
    const clock = await redisClock(redis);
    const before = clock.now();
    shift = -600;
    await clock.synchronise();
    expect(clock.now()).toBeGreaterThanOrEqual(before);
    expect(clock.now()).toBeLessThan(before + MINUTES);
    shift = 600;
    await clock.synchronise();
    expect(clock.now()).toBeGreaterThan(before + 9 * MINUTES);
    clock.close();
    clock.close();
  });

  test("is the same for everybody in a cluster, whose servers' clocks differ", async () => {
    const cluster = await startRedisCluster();
    const proxies = await Promise.all(cluster.ports.map((port) => startFaultProxy(port)));
    proxies.forEach((proxy, i) => (proxy.onReply = shiftedTime(() => 600 * i)));
    const natMap = Object.fromEntries(
      cluster.ports.map((port, i) => [
        `127.0.0.1:${String(port)}`,
        { host: "127.0.0.1", port: proxies[i]!.port },
      ]),
    );
    const answers = [];
    for (let i = 0; i < 6; i += 1) {
      const seeds = proxies.slice(i % 3).map(({ port }) => ({ host: "127.0.0.1", port }));
      const redis = new Cluster(seeds, { ...redisClusterOptions(), natMap });
      await createRedisStore(redis);
      const clock = await redisClock(redis);
      answers.push(Math.round((clock.now() - vi.getRealSystemTime()) / MINUTES));
      clock.close();
      redis.disconnect();
    }
    for (const proxy of proxies) await proxy.stop();
    await cluster.stop();
    expect(new Set(answers).size).toBe(1);
  });

  test("goes on as it was while the server cannot be asked", async () => {
    const { server, open } = await place();
    const { redis } = await open();
    const clock = await redisClock(redis, { everyMs: 5, timeoutMs: 200 });
    const before = clock.now();
    await server.kill();
    await expect(clock.synchronise()).rejects.toThrow("Redis failed");
    expect(clock.now()).toBeGreaterThanOrEqual(before);
    expect(clock.now()).toBeLessThan(before + 10 * MINUTES);
    clock.close();
  });

  test.each([
    ["their own clocks grant six where the limit is four", "own", 6],
    ["the server's clock grant four", "the server's", 4],
  ] as const)(
    "two gateways ten minutes apart that follow %s, at the end of an hour",
    async (_, whose, most) => {
      const { proxy, open } = await place();
      // Five minutes before the hour is over, by the server; five minutes after, by one of them.
      const untilTheHour = HOUR - (vi.getRealSystemTime() % HOUR);
      proxy.onReply = shiftedTime(() => Math.floor((untilTheHour - 5 * MINUTES) / 1000));
      const pools = createMemoryPoolDirectory();
      const plans = createMemoryPlanOverrides();
      await plans.set("c", hourlyFour());
      await pools.create(
        { connectionId: "c", name: "Team", allocations: [{ apiKeyId: "k", weight: 100, policy: "burst" }] },
        Date.now(),
      );
      const gateways = [];
      for (const minutes of [0, 10]) {
        const { store, redis } = await open();
        ahead(untilTheHour + (minutes - 5) * MINUTES);
        const now = Date.now();
        const clock = whose === "own" ? { now: () => now, close: () => undefined } : await redisClock(redis);
        gateways.push({ clock, engine: createQuotaEngine({ store, pools, plans, clock }) });
      }
      const request = { apiKeyId: "k", connectionId: "c", provider: "any" };
      let passed = 0;
      for (let i = 0; i < 20; i += 1) {
        const { decision, lease } = await gateways[i % 2]!.engine.admit(request);
        if (decision.status === "allowed") passed += 1;
        if (lease) await gateways[i % 2]!.engine.settle(lease);
      }
      expect(passed).toBe(most);
      for (const { clock, engine } of gateways) {
        clock.close();
        await engine.close();
      }
    },
  );
});

/** Answers `TIME` so many seconds later. */
function shiftedTime(seconds: () => number): NonNullable<FaultProxy["onReply"]> {
  return (reply, [name = ""]) => {
    if (name.toLowerCase() !== "time") return "pass";
    const [, , said = "", , micros = ""] = reply.split("\r\n");
    const words = [String(Number(said) + seconds()), micros];
    return { answer: `*2\r\n${words.map((word) => `$${String(word.length)}\r\n${word}`).join("\r\n")}` };
  };
}

function hourlyFour(): readonly Dimension[] {
  const parsed = parseDimensions([{ unit: "requests", window: "hourly", limit: 4, anchor: "epoch" }]);
  if (!parsed.ok) throw new Error(parsed.faults.map(({ message }) => message).join(" "));
  return parsed.value;
}
