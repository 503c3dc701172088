import type { DimensionUsage } from "@quota/core";
import { createMemoryPlanOverrides, type QuotaEngine } from "@quota/engine";
import { expect } from "vitest";
import type { Check } from "./check.js";
import type { UsageStoreUnderTest } from "./usageStoreUnderTest.js";
import {
  enter,
  FIVE_HOURS,
  HOUR,
  inOffice,
  MONDAY,
  partsOf,
  PERCENT,
  REQUESTS,
  serve,
  type Office,
} from "./windowsOffice.js";

const FIRST_USE = { ...REQUESTS, anchor: "first-use" as const };
const BY_DAY = { ...REQUESTS, anchor: { calendar: "UTC" } };

/** What processes agree on in a ledger, by example. */
export const agreedWindowsSentences: readonly Check<UsageStoreUnderTest>[] = [
  {
    name: "a rise that four processes see at once is claimed once, and all of it is somebody's",
    run: (subject) =>
      inOffice(subject, [PERCENT], async (office) => {
        const four = crew(office);
        await four[0]!.observe("seat", [office.reading(10)]);
        await Promise.all(four.map((each, i) => serve(each, ["alice", "bob", "carol", "bob"][i]!, 1000)));
        for (const told of [14, 18, 19]) {
          office.time.now += 1000;
          await Promise.all(four.map((each) => each.observe("seat", [office.reading(told)])));
          for (const each of four) {
            const seen = await office.look(each);
            expect(seen.attributed + seen.outside).toBe(told * 1e6);
          }
        }
        // Demand was there before the first of the rises alone.
        const seen = await office.look(four[3]!);
        expect(partsOf(seen)).toEqual({ alice: 1, bob: 2, carol: 1 });
        expect(seen).toMatchObject({ outside: 15e6, provisional: 0 });
      }),
  },
  {
    name: "a window that begins with its first use begins once, whoever comes first, and holds what all of them used",
    run: (subject) =>
      inOffice(subject, [FIRST_USE], async (office) => {
        const four = [0, 1, 2, 3].map((i) =>
          office.process({ handle: i % 2 === 0 ? 0 : 1, aheadMs: -100 * i }),
        );
        for (const day of [1, 2, 3]) {
          const let_in = await Promise.all(
            Array.from({ length: 20 }, (_, i) => serve(four[i % 4]!, "alice")),
          );
          expect(let_in).toEqual(Array(20).fill(true));
          const seen = await Promise.all(four.map((each) => office.look(each)));
          const opensAt = seen[0]!.opensAt!;
          expect(opensAt - (office.time.now + 24 * HOUR)).toBeLessThanOrEqual(0);
          for (const each of seen)
            expect(each).toMatchObject({ consumedTotal: 20, held: 0, opensAt, anchoredBy: "first-use" });
          office.time.now = opensAt + day * HOUR;
        }
      }),
  },
  ...(
    [
      ["begins with its first use", FIRST_USE],
      ["is a day of the calendar", BY_DAY],
    ] as const
  ).map(([what, plan]) => ({
    name: `around the end of a window that ${what}, processes whose clocks are 10 s apart grant at most the limit in each, and tell one end`,
    run: (subject: UsageStoreUnderTest) =>
      inOffice(subject, [{ ...plan, limit: 4 }], async (office) => {
        const four = [0, -10_000, 0, -10_000].map((aheadMs, i) =>
          office.process({ handle: i < 2 ? 0 : 1, aheadMs }),
        );
        office.time.now = MONDAY + 20 * HOUR;
        expect(await serve(four[0]!, "alice")).toBe(true);
        const end = (await office.look(four[0]!)).opensAt!;
        const granted = new Map<number, number>([[end, 1]]);
        for (const second of [-15, -9, -5, -1, 0, 1, 5, 9, 10, 15]) {
          office.time.now = end + second * 1000;
          const doors = await Promise.all(four.map((each) => enter(each, "bob")));
          const ends = await Promise.all(four.map(async (each) => (await office.look(each)).opensAt!));
          expect(Math.max(...ends) - Math.min(...ends)).toBeLessThanOrEqual(1000);
          for (const [i, { lease }] of doors.entries()) {
            if (lease === undefined) continue;
            await four[i]!.settle(lease);
            granted.set(ends[0]!, (granted.get(ends[0]!) ?? 0) + 1);
          }
        }
        expect([...granted.values()]).toEqual([4, 4]);
      }),
  })),
  {
    name: "what a process whose clock is ahead has granted in the provider's next window, one that is behind does not grant again",
    run: (subject) =>
      inOffice(subject, [{ ...REQUESTS, limit: 4 }], async (office) => {
        const [ahead, behind] = [office.process(), office.process({ handle: 1, aheadMs: -10_000 })];
        const end = office.time.now + HOUR;
        const said = { ...office.reading(0), unit: "requests", window: "daily", resetsAt: end } as const;
        await ahead.observe("seat", [said]);
        office.time.now = end + 1000;
        for (const granted of [true, true, true, true, false])
          expect(await serve(ahead, "alice")).toBe(granted);
        for (const second of [2, 5, 9, 10, 11, 15]) {
          office.time.now = end + second * 1000;
          for (const each of [behind, ahead]) expect(await serve(each, "bob")).toBe(false);
        }
      }),
  },
  {
    name: "a process that begins anew goes on where the others are",
    run: (subject) =>
      inOffice(subject, [PERCENT, FIRST_USE], async (office) => {
        const first = office.process();
        await first.observe("seat", [office.reading(5)]);
        await serve(first, "alice", 3000);
        await serve(first, "bob", 1000);
        office.time.now += 1000;
        await first.observe("seat", [office.reading(9)]);
        await serve(first, "carol", 2000);
        const before = [await office.look(first), await office.look(first, 1)];
        await first.close();
        const second = office.process({ handle: 1 });
        const after = [await office.look(second), await office.look(second, 1)];
        expect(after.map(withoutBurnRate)).toEqual(before.map(withoutBurnRate));
        office.time.now += 1000;
        await second.observe("seat", [office.reading(11)]);
        expect(partsOf(await office.look(second))).toEqual({ alice: 3, bob: 1, carol: 2 });
      }),
  },
  {
    name: "a process that has heard of no change of several counts where the others do",
    run: (subject) =>
      inOffice(subject, [PERCENT, REQUESTS], async (office) => {
        const [busy, idle] = [office.process(), office.process({ handle: 1 })];
        await serve(busy, "alice", 1000);
        await serve(idle, "alice", 1000);
        for (const [i, told] of [3, 4, 0, 6, 7].entries()) {
          office.time.now += 120_000;
          const resetsAt = office.time.now + (i < 2 ? 2 : 4) * HOUR;
          await busy.observe("seat", [office.reading(told, { resetsAt })]);
          await serve(busy, "bob", 1000);
          // What it learns in the beginning is old in the end, wherever it is remembered.
          if (i === 0) await serve(idle, "bob");
          if (i % 2 === 0) await idle.preview({ apiKeyId: "bob", connectionId: "seat", provider: "codex" });
        }
        office.time.now += 1000;
        await serve(idle, "carol", 1000);
        await idle.observe("seat", [office.reading(9, { resetsAt: office.time.now + 4 * HOUR })]);
        for (const i of [0, 1])
          expect(withoutBurnRate(await office.look(idle, i))).toEqual(
            withoutBurnRate(await office.look(busy, i)),
          );
        const seen = await office.look(idle);
        expect(seen.attributed + seen.outside).toBe(9e6);
        expect(await office.look(busy, 1)).toMatchObject({ consumedTotal: 9 });
      }),
  },
  {
    name: "a process that was shown on a page where a window lies now, and whose store remembers where it lay before, moves it rightly",
    run: (subject) =>
      inOffice(subject, [FIRST_USE], async (office) => {
        const [busy, idle] = [office.process(), office.process({ handle: 1 })];
        for (const each of [busy, idle]) await serve(each, "alice");
        await office.setPlan([BY_DAY]);
        await serve(busy, "alice");
        await office.look(idle);
        await serve(idle, "alice");
        await office.setPlan([{ ...REQUESTS, anchor: { calendar: "Asia/Tokyo" } }]);
        await serve(idle, "alice");
        const expected = { consumedTotal: 5, anchoredBy: "calendar", opensAt: MONDAY + 15 * HOUR };
        for (const each of [idle, busy]) expect(await office.look(each)).toMatchObject(expected);
      }),
  },
  {
    name: "a plan that moves its window loses nothing and counts nothing twice, wherever it moves",
    run: (subject) =>
      inOffice(subject, [REQUESTS], async (office) => {
        const two = [office.process(), office.process({ handle: 1 })];
        let used = 0;
        const use = async (): Promise<void> => {
          for (const each of two) if (await serve(each, "alice")) used += 1;
        };
        await use();
        for (const plan of [
          FIRST_USE,
          REQUESTS,
          BY_DAY,
          { ...REQUESTS, anchor: "epoch" as const },
          FIRST_USE,
        ]) {
          await office.setPlan([plan]);
          await use();
          const { perKey, consumedTotal } = await office.look(two[1]!);
          expect([consumedTotal, perKey[0]!.consumed]).toEqual([used, used]);
        }
      }),
  },
  {
    name: "requests that were let in before their plan moved its window are counted once, where the window is now",
    run: (subject) =>
      inOffice(subject, [FIRST_USE], async (office) => {
        const two = [office.process(), office.process({ handle: 1 })];
        const doors = await Promise.all(Array.from({ length: 6 }, (_, i) => enter(two[i % 2]!, "alice")));
        await office.setPlan([REQUESTS]);
        for (const [i, { lease }] of doors.entries()) {
          await two[i % 2]!.settle(lease!);
          await serve(two[(i + 1) % 2]!, "bob");
        }
        expect(await office.look(two[0]!)).toMatchObject({
          consumedTotal: 12,
          held: 0,
          anchoredBy: "rolling",
        });
      }),
  },
  {
    name: "a dimension that a process has not looked at yet is counted where its neighbours count it",
    run: (subject) =>
      inOffice(subject, [PERCENT, REQUESTS], async (office) => {
        const late = createMemoryPlanOverrides();
        await office.setPlan([PERCENT], late);
        const [knowing, learning] = [office.process(), office.process({ handle: 1, plans: late })];
        const said = { ...office.reading(0), unit: "requests", window: "daily" } as const;
        await knowing.observe("seat", [office.reading(1), said]);
        await serve(knowing, "alice", 1000);
        await serve(learning, "bob", 1000);
        await office.setPlan([PERCENT, REQUESTS], late);
        await serve(learning, "bob", 1000);
        const expected = { consumedTotal: 2, anchoredBy: "provider", opensAt: MONDAY + FIVE_HOURS };
        for (const each of [learning, knowing]) expect(await office.look(each, 1)).toMatchObject(expected);
      }),
  },
];

/** Four processes, two over each handle. */
function crew(office: Office): readonly QuotaEngine[] {
  return ([0, 1, 0, 1] as const).map((handle) => office.process({ handle }));
}

/** How fast it goes is what each process has seen of it. */
function withoutBurnRate(seen: DimensionUsage): object {
  return { ...seen, burnRate: "apart" };
}
