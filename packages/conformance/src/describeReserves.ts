import { createMemoryUsageStore, type UsageStore } from "@quota/engine";
import fc from "fast-check";
import { expect } from "vitest";
import type { Check } from "./check.js";
import { opening, runChecks } from "./runChecks.js";
import { reserveDeedsArbitrary, reservingPool, told, type ReserveDeed } from "./reserveHistory.js";
import { shaken, type OpenShaken } from "./shakenUsageStoreChecks.js";
import { withNeighbour } from "./steps.js";
import type { UsageStoreUnderTest } from "./usageStoreUnderTest.js";

/** What is decided under `reserve` over a store. */
export const reserveChecks: readonly Check<UsageStoreUnderTest>[] = [
  {
    name: "one history under reserve is answered as it is over memory, and holds the same for everybody",
    run: async (subject) =>
      withNeighbour(subject, async (neighbour) => {
        // A store is written to once: one long history of all of them.
        const histories = fc.sample(reserveDeedsArbitrary, { seed: 6, numRuns: 6 });
        const deeds = histories.flatMap((history) => [...history, { kind: "wait" as const, ms: 3_000_000 }]);
        const memory = createMemoryUsageStore();
        const expected = await told([memory, memory], deeds);
        expect(JSON.stringify(expected)).toContain('"reason":"reserved"');
        expect(await told([subject.store, neighbour], deeds)).toEqual(expected);
      }),
  },
  {
    name: "what many ask for at once under reserve leaves everybody else's reserve whole",
    run: async (subject) =>
      withNeighbour(subject, async (neighbour) => {
        const pool = await reservingPool([subject.store, neighbour]);
        const asked = Array.from({ length: 40 }, (_, i) => pool.admit(i % 2 === 0 ? 0 : 1, 3, 1));
        await Promise.all(asked);
        await expectWhole(pool);
        const [, tokens] = await pool.look();
        // At the start of a window all of it is held for those who have a share.
        expect(tokens).toMatchObject({ used: 0, reserved: 60, spare: 0 });
        await pool.close();
      }),
  },
];

/** The same while conversations with the backend overlap in every order. */
export const shakenReserveChecks: readonly Check<OpenShaken>[] = [
  {
    name: "in whatever order the backend answers, nobody is let in on what is held for others, and nothing is lost of a reserve",
    async run(open) {
      const property = fc.asyncProperty(fc.scheduler(), reserveDeedsArbitrary, async (scheduler, deeds) =>
        shaken(open, scheduler, async (handles) => expectHeld(handles, deeds)),
      );
      await fc.assert(property, { numRuns: 25 });
    },
  },
];

/** Does everything at once, window part by window part, and looks in between. */
async function expectHeld(
  stores: readonly [UsageStore, UsageStore],
  deeds: readonly ReserveDeed[],
): Promise<void> {
  const pool = await reservingPool(stores);
  let crowd: Promise<unknown>[] = [];
  for (const deed of deeds) {
    if (deed.kind === "admit") crowd.push(pool.admit(deed.by, deed.key, deed.tokens));
    if (deed.kind === "end") crowd.push(pool.end(deed.part));
    if (deed.kind !== "wait") continue;
    await Promise.all(crowd);
    crowd = [];
    await expectWhole(pool);
    pool.time.now += 1001 + Math.floor(deed.ms / 2);
  }
  await Promise.all(crowd);
  await expectWhole(pool);
  // The aggregate and the reserves say the same: exactly what is spare passes.
  pool.time.now += 1001;
  const [requests, tokens] = await pool.look();
  if (requests!.spare! >= 2 && tokens!.spare! > 0) {
    expect(await pool.admit(1, 3, tokens!.spare! + 1)).toMatchObject({ status: "refused" });
    expect(await pool.admit(0, 3, tokens!.spare!)).toMatchObject({ status: "allowed" });
  }
  await pool.close();
}

async function expectWhole(pool: Awaited<ReturnType<typeof reservingPool>>): Promise<void> {
  for (const { used, reserved, spare, limit } of await pool.look()) {
    expect(used).toBeGreaterThanOrEqual(0);
    expect(spare).toBeGreaterThanOrEqual(0);
    expect(used + reserved! + spare!).toBe(limit);
  }
}

/**
 * Runs what `createQuotaEngine` promises of pools that keep reserves, over a store, as vitest tests. A store that passes `describeUsageStore` passes
 * these.
 *
 * @param open and @param options as `describeUsageStore` takes them.
 * @example
 * describeReserves("my store", async () => {
 *   const store = createMyStore();
 *   return { store, dispose: () => store.close() };
 * });
 */
export function describeReserves(
  name: string,
  open: () => Promise<UsageStoreUnderTest>,
  options: { readonly shaken?: OpenShaken } = {},
): void {
  runChecks(`reserves kept over ${name}`, reserveChecks, opening(open));
  const { shaken: openShaken } = options;
  if (openShaken !== undefined)
    runChecks(`reserves kept over ${name}, shaken`, shakenReserveChecks, (run) => run(openShaken));
}
