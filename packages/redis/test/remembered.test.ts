import type { Counter, Step } from "@quota/engine";
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
});

/** Looks, and adds nothing. */
function refused(counters: readonly Counter[]): Step<undefined> {
  const decide: Step<undefined>["decide"] = () => ({ result: undefined, additions: counters.map(() => 0) });
  return { ledger: "ledger", counters, now: Date.now(), decide };
}
