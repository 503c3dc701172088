import {
  affinityChecks,
  liveStateChecks,
  type AffinityUnderTest,
  type Check,
  type LiveStateUnderTest,
} from "@quota/conformance";
import { createMemoryAffinity, createMemoryLiveState, type Affinity, type LiveState } from "@quota/engine";
import { describe, expect, test } from "vitest";
import { stopAtFirstFailure } from "./stopAtFirstFailure.js";
import { TEXT_MISHAPS } from "./textMishaps.js";

type Faults<Port> = readonly (readonly [
  fault: string,
  change: (port: Port) => Partial<Port>,
  caughtBy: readonly string[],
])[];

const COOLDOWN = "from the allowed failure on, a deployment is in cooldown for as long as was said";
const FAILURE_MINUTE = "failures are counted within one UTC minute, and a cooldown outlives it";
const FEWER = "where fewer than one failure is allowed, nothing happens";
const MEAN = "latency is the mean of the samples, and what is no time is dropped";
const SAME = "samples of the same duration, at the same moment, are several";
const NEWEST = "only the newest 20 samples count";
const HOUR = "a sample counts for an hour";
const SAMPLES = "random histories of samples agree with a plain list";
const MINUTE = "tokens are those of the current UTC minute, which each write does not prolong";
const NO_AMOUNT = "tokens that are no amount are dropped";
const HIT = "a hit answers with what the minute holds now, and the next minute begins at nothing";
const FORTY = "40 that hit at once over two handles are told 40 different numbers";
const BOTH = "what one handle is told the other knows";
const IDS = "deployments are apart, whatever their ids are made of";

const liveFaults: Faults<LiveState> = [
  [
    "waits for one failure more",
    (live) => ({
      recordFailure: async (id, { allowed, cooldownMs }, now) =>
        live.recordFailure(id, { allowed: allowed && allowed + 1, cooldownMs }, now),
    }),
    [COOLDOWN, FAILURE_MINUTE, BOTH],
  ],
  [
    "counts failures for ever",
    (live) => ({
      recordFailure: async (id, { allowed, cooldownMs }, now) => {
        await live.recordFailure(
          id,
          { allowed, cooldownMs: cooldownMs + (now % 60_000) },
          now - (now % 3_600_000),
        );
      },
    }),
    [FAILURE_MINUTE],
  ],
  [
    "takes no failure allowed for one",
    (live) => ({
      recordFailure: async (id, { allowed, cooldownMs }, now) =>
        live.recordFailure(id, { allowed: Math.max(1, allowed), cooldownMs }, now),
    }),
    [FEWER],
  ],
  [
    "ends a cooldown with the minute",
    (live) => ({
      recordFailure: async (id, { allowed, cooldownMs }, now) =>
        live.recordFailure(id, { allowed, cooldownMs: Math.min(cooldownMs, 60_000 - (now % 60_000)) }, now),
    }),
    [FAILURE_MINUTE],
  ],
  [
    "is in cooldown a millisecond too long",
    (live) => ({ cooled: async (ids, now) => live.cooled(ids, now - 1) }),
    [COOLDOWN, FAILURE_MINUTE],
  ],
  [
    "takes what is no time for 0",
    (live) => ({
      addLatency: async (id, ms, now) => live.addLatency(id, Number.isFinite(ms) && ms > 0 ? ms : 0, now),
      addUsage: async (id, tokens, now) => live.addUsage(id, Math.abs(tokens) || 0, now),
    }),
    [MEAN, NO_AMOUNT],
  ],
  ["keeps samples as a set", samplesAsSet, [SAME]],
  ["keeps every sample of the hour", everySample, [NEWEST, SAMPLES]],
  [
    "keeps samples for ever",
    (live) => ({ latencies: async (ids, now) => live.latencies(ids, Math.min(now, 0)) }),
    [HOUR],
  ],
  [
    "keeps a minute's tokens as long as some are added",
    (live) => {
      let opened = 0;
      let last = 0;
      const since = (now: number): number => {
        if (now - last >= 60_000) opened = now;
        return opened;
      };
      return {
        addUsage: async (id, tokens, now) => {
          const minute = since(now);
          last = now;
          await live.addUsage(id, tokens, minute);
        },
        usages: async (ids, now) => live.usages(ids, now - last < 60_000 ? opened : now),
      };
    },
    [MINUTE],
  ],
  [
    "answers with what was there before the hit",
    (live) => ({ hitRpm: async (id, now) => ((await live.hitRpm(id, now)) ?? 0) - 1 }),
    [HIT, FORTY, IDS],
  ],
  [
    "counts hits for an hour",
    (live) => ({ hitTpm: async (id, n, now) => live.hitTpm(id, n, now - (now % 3_600_000)) }),
    [HIT],
  ],
  ["reads, waits, and then writes a hit", racingHits, [FORTY]],
  ...TEXT_MISHAPS.map(
    ([mishap, change]) =>
      [
        mishap,
        (live: LiveState) => ({
          addUsage: async (id: string, ...rest) => live.addUsage(change(id), ...rest),
        }),
        [IDS],
      ] satisfies Faults<LiveState>[number],
  ),
];

const NOTHING = "where nothing was set there is nothing";
const EXPECTED = "a value is set where the expected one is there, and only then";
const EMPTY = "an empty text is a value, not the lack of one";
const STRING = "a string is replaced whatever was there";
const KEYS = "keys and values are apart, whatever they are made of";
const ONE = "of 40 that set one key at once over two handles, one does";
const ENDS = "a value ends when its time is over, which only what sets it prolongs";
const MAP = "random histories over two handles agree with a plain Map";

const affinityFaults: Faults<Affinity> = [
  [
    "sets whatever is there",
    (affinity) => ({ compareAffinity: async (change, now) => (await affinity.setString(change, now), true) }),
    [NOTHING, EXPECTED, ONE, MAP],
  ],
  [
    "takes no expectation for any",
    (affinity) => ({
      compareAffinity: async (change, now) =>
        affinity.compareAffinity(
          { ...change, expected: change.expected ?? (await affinity.readAffinity(change.key, now)) },
          now,
        ),
    }),
    [EXPECTED, EMPTY, MAP],
  ],
  [
    "takes an empty text for none",
    (affinity) => ({
      compareAffinity: async (change, now) =>
        affinity.compareAffinity(
          { ...change, expected: change.expected === "" ? undefined : change.expected },
          now,
        ),
      readAffinity: async (...asked) => {
        const value = await affinity.readAffinity(...asked);
        return value === "" ? undefined : value;
      },
    }),
    [EMPTY, MAP],
  ],
  [
    "compares, waits, and then sets",
    (affinity) => ({
      compareAffinity: async (change, now) => {
        if ((await affinity.readAffinity(change.key, now)) !== change.expected) return false;
        await affinity.setString(change, now);
        return true;
      },
    }),
    [ONE],
  ],
  [
    "prolongs what is there when a comparison fails",
    (affinity) => ({
      compareAffinity: async (change, now) => {
        const value = await affinity.readAffinity(change.key, now);
        const set = await affinity.compareAffinity(change, now);
        if (!set && value !== undefined) await affinity.setString({ ...change, value }, now);
        return set;
      },
    }),
    [ENDS, MAP],
  ],
  [
    "does not prolong what is set again",
    (affinity) => {
      const ends = new Map<string, number>();
      return {
        compareAffinity: async (change, now) => {
          const end = ends.get(change.key) ?? 0;
          const until = end > now ? end : now + change.ttlMs;
          ends.set(change.key, until);
          return affinity.compareAffinity({ ...change, ttlMs: until - now }, now);
        },
      };
    },
    [ENDS],
  ],
  [
    "keeps a value a millisecond longer",
    (affinity) => ({
      readAffinity: async (key, now) => affinity.readAffinity(key, now - 1),
      getString: async (key, now) => affinity.getString(key, now - 1),
    }),
    [ENDS],
  ],
  [
    "keeps the first string",
    (affinity) => ({
      setString: async (entry, now) => {
        await affinity.compareAffinity({ ...entry, expected: undefined }, now);
      },
    }),
    [STRING],
  ],
  ...TEXT_MISHAPS.map(
    ([mishap, change]) =>
      [
        `${mishap} of keys`,
        (affinity: Affinity) => ({
          setString: async ({ key, ...rest }, now) => affinity.setString({ ...rest, key: change(key) }, now),
          getString: async (key, now) => affinity.getString(change(key), now),
        }),
        [KEYS],
      ] satisfies Faults<Affinity>[number],
  ),
  ...TEXT_MISHAPS.map(
    ([mishap, change]) =>
      [
        `${mishap} of values`,
        (affinity: Affinity) => ({
          compareAffinity: async (asked, now) =>
            affinity.compareAffinity({ ...asked, value: change(asked.value) }, now),
        }),
        [KEYS],
      ] satisfies Faults<Affinity>[number],
  ),
];

describe("a live state is caught that", () => {
  stopAtFirstFailure({ seed: 7 });

  test.each(casesOf(liveFaults))("%s — by: %s", async (_, name, change) => {
    await expectCaught(liveStateChecks, name, sharedLive(change));
  });

  test("gives every handle a state of its own", async () => {
    for (const name of [BOTH, FORTY])
      await expectCaught(liveStateChecks, name, {
        ...sharedLive(() => ({})),
        another: async () => createMemoryLiveState(),
      });
  });
});

describe("an affinity is caught that", () => {
  stopAtFirstFailure({ seed: 7 });

  test.each(casesOf(affinityFaults))("%s — by: %s", async (_, name, change) => {
    await expectCaught(affinityChecks, name, sharedAffinity(change));
  });

  test("gives every handle values of its own", async () => {
    for (const name of [ONE, MAP])
      await expectCaught(affinityChecks, name, {
        ...sharedAffinity(() => ({})),
        another: async () => createMemoryAffinity(),
      });
  });
});

test("an honest live state and an honest affinity pass over two handles", { timeout: 60_000 }, async () => {
  for (const { run } of liveStateChecks) await run(sharedLive(() => ({})));
  for (const { run } of affinityChecks) await run(sharedAffinity(() => ({})));
});

function casesOf<Port>(
  faults: Faults<Port>,
): readonly (readonly [string, string, (port: Port) => Partial<Port>])[] {
  return faults.flatMap(([fault, change, caughtBy]) =>
    caughtBy.map((name) => [fault, name, change] as const),
  );
}

async function expectCaught<Subject>(
  checks: readonly Check<Subject>[],
  name: string,
  subject: Subject,
): Promise<void> {
  const check = checks.find((each) => each.name === name);
  expect(check, `there is no check named ${name}`).toBeDefined();
  await expect(check?.run(subject)).rejects.toThrow();
}

const dispose = async (): Promise<void> => Promise.resolve();

function sharedLive(change: (live: LiveState) => Partial<LiveState>): LiveStateUnderTest {
  const inner = createMemoryLiveState();
  const live = { ...inner, ...change(inner) };
  return { live, another: async () => live, dispose };
}

function sharedAffinity(change: (affinity: Affinity) => Partial<Affinity>): AffinityUnderTest {
  const inner = createMemoryAffinity();
  const affinity = { ...inner, ...change(inner) };
  return { affinity, another: async () => affinity, dispose };
}

function samplesAsSet(live: LiveState): Partial<LiveState> {
  const seen = new Set<string>();
  return {
    addLatency: async (id, ms, now) => {
      const sample = JSON.stringify([id, ms, now]);
      if (!seen.has(sample)) await live.addLatency(id, ms, now);
      seen.add(sample);
    },
  };
}

function everySample(): Partial<LiveState> {
  const samples: { readonly id: string; readonly ms: number; readonly at: number }[] = [];
  return {
    addLatency: async (id, ms, at) => {
      samples.push({ id, ms, at });
    },
    latencies: async (ids, now) =>
      new Map(
        ids.map((id) => {
          const theirs = samples.filter((each) => each.id === id && each.at > now - 3_600_000);
          return [id, theirs.reduce((sum, { ms }) => sum + ms, 0) / theirs.length];
        }),
      ),
  };
}

function racingHits(): Partial<LiveState> {
  let hits = 0;
  return {
    hitRpm: async () => {
      const before = hits;
      await Promise.resolve();
      hits = before + 1;
      return hits;
    },
  };
}
