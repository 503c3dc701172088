import {
  createMemoryPlanOverrides,
  createMemoryPoolDirectory,
  createQuotaEngine,
  type QuotaEngine,
} from "@quota/engine";
import { parseDimensions } from "@quota/core";
import type { Fate } from "@quota/local-redis";
import { describeWithRedis } from "@quota/local-redis/vitest";
import { expect, test, vi } from "vitest";
import { places, type Place } from "./places.js";

const request = { apiKeyId: "alice", connectionId: "c", provider: "any" };

describeWithRedis("an engine over Redis", () => {
  const place = places();

  /** An engine on a pool with a limit that nobody reaches. */
  async function engineOn({ open }: Place): Promise<QuotaEngine> {
    const { store } = await open();
    const plans = createMemoryPlanOverrides();
    const dimensions = parseDimensions([{ unit: "requests", window: "monthly", limit: 1_000 }]);
    if (dimensions.ok) await plans.set("c", dimensions.value);
    const pools = createMemoryPoolDirectory();
    const allocations = [{ apiKeyId: "alice", weight: 100, policy: "burst" as const }];
    await pools.create({ id: "p", connectionId: "c", name: "Team", allocations }, 0);
    return createQuotaEngine({ store, plans, pools });
  }

  const consumed = async (engine: QuotaEngine): Promise<number | undefined> =>
    (await engine.usage("p"))?.dimensions[0]?.consumedTotal;
  const held = async (engine: QuotaEngine): Promise<number | undefined> =>
    (await engine.usage("p"))?.dimensions[0]?.held;

  /** Admits and settles so many requests; the statuses. */
  async function requests(engine: QuotaEngine, times: number): Promise<readonly string[]> {
    return Promise.all(
      Array.from({ length: times }, async () => {
        const { decision, lease } = await engine.admit(request);
        if (lease) await engine.settle(lease);
        return decision.status;
      }),
    );
  }

  test("while it is away requests pass unjudged, and what they used is counted in full when it is back", async () => {
    const here = await place();
    const engine = await engineOn(here);
    expect(await requests(engine, 20)).toEqual(Array(20).fill("allowed"));
    await here.proxy.shut();
    expect(await requests(engine, 50)).toEqual(Array(50).fill("unjudged"));
    await here.proxy.open();
    await vi.waitFor(async () => expect(await consumed(engine)).toBe(70), { timeout: 20_000, interval: 50 });
    expect(await requests(engine, 1)).toEqual(["allowed"]);
    expect(engine.status()).toMatchObject({ remembered: 0, storeFailure: undefined });
    await engine.close();
  });

  test("a settlement whose reply is lost is counted at most once", async () => {
    const here = await place();
    const engine = await engineOn(here);
    await requests(engine, 3);
    const { lease } = await engine.admit(request);
    here.proxy.onReply = cutWhatWasDone;
    await engine.settle(lease!);
    here.proxy.onReply = undefined;
    let later = 0;
    await vi.waitFor(
      async () => {
        later += 1;
        expect(await requests(engine, 1)).toEqual(["allowed"]);
      },
      { timeout: 20_000, interval: 20 },
    );
    await engine.close();
    expect(await consumed(engine)).toBe(3 + 1 + later);
    expect(await held(engine)).toBe(0);
  });

  test("an admission whose reply is lost passes unjudged; its hold is left to evaporate", async () => {
    const here = await place();
    const engine = await engineOn(here);
    await requests(engine, 3);
    here.proxy.onReply = cutWhatWasDone;
    const { decision, lease } = await engine.admit(request);
    expect(decision.status).toBe("unjudged");
    here.proxy.onReply = undefined;
    await vi.waitFor(async () => expect((await engine.peek(request)).status).toBe("allowed"), {
      timeout: 20_000,
      interval: 20,
    });
    await engine.settle(lease!);
    await engine.close();
    expect(await consumed(engine)).toBe(4);
    expect(await held(engine)).toBe(1);
  });
});

/** Cuts the connection in place of a script's reply; one that says that the script is unknown, so that nothing was done, goes on. */
function cutWhatWasDone(reply: string, [name = ""]: readonly string[]): Fate {
  return /^eval/i.test(name) && !reply.startsWith("-NOSCRIPT") ? "cut" : "pass";
}
