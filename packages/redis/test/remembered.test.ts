import type { Counter, Step } from "@quota/engine";
import type { Fate } from "@quota/local-redis";
import { describeWithRedis } from "@quota/local-redis/vitest";
import { expect, test, vi } from "vitest";
import { counterOf, everyone, one } from "./counting.js";
import { places } from "./places.js";

describeWithRedis("what a process remembers of a ledger", () => {
  const place = places();

  test("is not believed on the word of a head that has expired since, as it had before", async () => {
    const { server, open } = await place();
    const [{ store }, { store: neighbour }] = [await open(), await open()];
    const [key, other] = [counterOf("key"), counterOf("other")];
    // Nobody has written yet: there is no head.
    await store.transact(refused([key]));
    for (let i = 0; i < 5; i += 1) await neighbour.transact(one([key]));
    // The head lives as long as what was written last.
    await neighbour.transact(one([{ ...counterOf("hold", 2), expiresAt: Date.now() + 100 }]));
    await vi.waitFor(async () => expect(await server.ask("EXISTS", "quota:{ledger}")).toBe("0"));
    await store.transact(one([everyone, other]));
    await store.transact(one([everyone, key]));
    expect(await neighbour.read("ledger", [key])).toEqual([6]);
  });

  test.each([1, 3])("may be as little as %i counters, however many a step has", async (maxCachedCounters) => {
    const { open } = await place();
    const { store } = await open({ maxCachedCounters });
    const counters = Array.from({ length: 8 }, (_, i) => counterOf(`key ${String(i)}`, i % 3));
    const steps = Array.from({ length: 5 }, (_, i) => one(counters.slice(i, i + 4)));
    await Promise.all([store.transact(one(counters)), ...steps.map((step) => store.transact(step))]);
    expect(await store.read("ledger", counters)).toEqual([2, 3, 4, 5, 5, 4, 3, 2]);
  });
});

describeWithRedis("of few ledgers with many counters each", () => {
  const place = places();

  test.each([
    [100, "all are remembered", 1],
    [10, "no more are remembered than the store may keep", 2],
  ])("where %i may be kept, %s", async (maxCachedCounters, _, commits) => {
    const { proxy, open } = await place();
    const { store } = await open({ maxCachedCounters });
    const counters = ["a", "b", "c"].map((id) => counterOf(id));
    // Until both scripts are known to the server.
    for (let i = 0; i < 2; i += 1) await store.transact(one(counters, "ledger 0"));
    for (let i = 0; i < 8; i += 1) await store.transact(one(counters, `ledger ${String(i)}`));
    let asked = 0;
    proxy.onCommand = ([name = ""]): Fate => {
      if (/^eval/i.test(name)) asked += 1;
      return "pass";
    };
    await store.transact(one(counters, "ledger 0"));
    // What is not remembered is read first.
    expect(asked).toBe(commits);
  });
});

describeWithRedis("a reading", () => {
  const place = places();

  test("is not made of the reply to something else", async () => {
    const { proxy, open } = await place();
    const { store } = await open();
    for (let i = 0; i < 3; i += 1) await store.transact(one());
    proxy.onReply = (_reply, [name = ""]): Fate => (/^eval/i.test(name) ? "twice" : "pass");
    const step = store.transact(one());
    await new Promise(setImmediate);
    const reading = store.read("ledger", [everyone]);
    await step;
    proxy.onReply = undefined;
    await expect(reading).rejects.toMatchObject({ name: "StoreError", applied: "no" });
    await vi.waitFor(async () => expect(await store.read("ledger", [everyone])).toEqual([4]));
  });
});

/** Looks, and adds nothing. */
function refused(counters: readonly Counter[]): Step<undefined> {
  const decide: Step<undefined>["decide"] = () => ({ result: undefined, additions: counters.map(() => 0) });
  return { ledger: "ledger", counters, now: Date.now(), decide };
}
