import {
  describeUsageStore,
  shakenUsageStoreChecks,
  usageStoreChecks,
  type UsageStoreUnderTest,
} from "@quota/conformance";
import { StoreError, type UsageStore } from "@quota/engine";
import { describe, expect, test } from "vitest";
import { optimisticStore } from "./optimisticStore.js";
import { checkAdditions, plainStore, type Parts } from "./plainStore.js";
import { stopAtFirstFailure } from "./stopAtFirstFailure.js";

// The honest stores pass, so what fails below fails for its one fault.
describeUsageStore("the plain store", async () => sharing((shared) => plainStore(shared)), {
  shaken: async (pause) => sharing((shared) => plainStore({ ...shared, pause })),
});
describeUsageStore("the optimistic store", async () => sharing((shared) => optimisticStore(shared)), {
  shaken: async (pause) => sharing((shared) => optimisticStore({ ...shared, pause })),
});

const SERIAL = "steps asked at the same moment ran in some order, one after the other";
const CEILING = "500 callers at once at a ceiling of 120 are granted exactly 120";
const TWO_HANDLES = "500 callers at once over two handles are granted exactly 120";
const SETTLING = "while 250 settle and 250 are admitted, nobody passes the ceiling and nothing is lost";
const COSTS = "whatever it costs, what is granted fits under the limit, and what is refused did not";
const EXACT_BOUNDS =
  "500 callers at once whose verdicts hold only at what they were shown are granted exactly 120";
const HISTORIES = "random histories of steps, one after the other, agree with a plain Map";
const APART = "ids and ledgers are apart, whatever they are made of";
const BUCKETS = "the buckets of an id are apart, and a bucket is any whole number";
const SHOWN = "what a step adds is what the next one is shown, counter by counter";
const SIGNS = "additions have a sign, and an amount may pass below 0";
const EXACT = "amounts are exact to 2^53 − 1, on both sides of 0";
const FORGET = "forget drops what expired before a moment, says how much, and leaves the rest";
const CLOSE = "closing twice is closing once, and what comes after is rejected with a StoreError";
const RESULT = "a step answers with the very result of its decision";
const THROWS = "what a decision throws rejects its step, and nothing is written";
const ALONE = "a decision that throws rejects only itself, whoever asks at the same moment";
const REFUSAL = "a refusal, which adds nothing, changes nothing";
const ONE_TRUTH = "two handles on the same data see one truth";
const PAST = "a sum past 2^53 − 1 is refused, and nothing of its step is written";

const faults: readonly (readonly [
  sentence: string,
  open: () => UsageStoreUnderTest,
  caughtBy: readonly string[],
])[] = [
  [
    "reads, awaits, then writes what it read and what is added",
    broken({ order: "none" }),
    [SERIAL, CEILING, TWO_HANDLES, EXACT_BOUNDS, SETTLING, COSTS],
  ],
  [
    "keeps its steps in order within a handle, and not across two",
    () => sharing(({ data }) => plainStore({ data })),
    [SERIAL, TWO_HANDLES, SETTLING],
  ],
  [
    "writes verdicts whether or not they still stand",
    () => sharing((shared) => optimisticStore({ ...shared, stands: () => true })),
    [SERIAL, CEILING, TWO_HANDLES, COSTS],
  ],
  [
    "takes a verdict without bounds for one that always holds",
    () =>
      sharing((shared) =>
        optimisticStore({
          ...shared,
          stands: (now, _, bounds) => !bounds || now.every((x, i) => x <= bounds[i]!),
        }),
      ),
    [SERIAL, EXACT_BOUNDS],
  ],
  [
    "checks the bound of the first counter only",
    () =>
      sharing((shared) =>
        optimisticStore({
          ...shared,
          stands: (now, shown, bounds) =>
            now[0] === undefined || (bounds ? now[0] <= bounds[0]! : now[0] === shown[0]),
        }),
      ),
    [SERIAL, SETTLING],
  ],
  [
    "loses the sign of what is added",
    broken({ onDecided: (xs) => xs.map(Math.abs) }),
    [SIGNS, SETTLING, HISTORIES],
  ],
  ["stops at 0", broken({ kept: (amount) => Math.max(0, amount) }), [SIGNS, EXACT, SERIAL, HISTORIES]],
  ["counts in floats of 32 bits", broken({ kept: Math.fround }), [EXACT, SERIAL, HISTORIES, PAST]],
  [
    "counts in whole numbers of 32 bits",
    broken({ kept: (amount) => amount | 0 }),
    [EXACT, SERIAL, HISTORIES, PAST],
  ],
  [
    "adds the first counter's share only",
    broken({ onDecided: ([x = 0, ...xs]) => [x, ...xs.map(() => 0)] }),
    [SHOWN],
  ],
  [
    "adds twice, when it decides twice",
    broken({ onDecided: (xs) => xs.map((x) => 2 * x) }),
    [SHOWN, CEILING],
  ],
  ["counts a refusal", broken({ onDecided: (xs) => xs.map((x) => x || 1) }), [REFUSAL, CEILING]],
  [
    "writes up to the addition that does not fit",
    () => sharing(halfApplying),
    [PAST, ...unfit("a fraction", "NaN", "a text")],
  ],
  [
    "does not check what is added",
    broken({ check: () => undefined }),
    [PAST, ...unfit("a fraction", "NaN", "a text")],
  ],
  [
    "takes one addition too many for granted",
    broken({ check: (additions, amounts) => checkAdditions(additions.slice(0, amounts.length), amounts) }),
    unfit("one addition too many"),
  ],
  ...["|", ":", "/", ",", "", "\u0000"].map(
    (separator) =>
      [
        `joins ledger and id with ${JSON.stringify(separator)}`,
        broken({ keyOf: (ledger, { id, bucket }) => [ledger, id, bucket].join(separator) }),
        [APART],
      ] as const,
  ),
  [
    "takes braces for a hash tag",
    broken({ keyOf: (...key) => keyOf(...key).replaceAll(/[{}]/g, "") }),
    [APART],
  ],
  ["does not tell cases apart", broken({ keyOf: (...key) => keyOf(...key).toLowerCase() }), [APART]],
  ["normalises its keys", broken({ keyOf: (...key) => keyOf(...key).normalize("NFC") }), [APART]],
  [
    "keeps 1000 characters of an id",
    broken({ keyOf: (l, c) => keyOf(l, { ...c, id: c.id.slice(0, 1000) }) }),
    [APART],
  ],
  ["ends a text at NUL", broken({ keyOf: (l, c) => keyOf(l, { ...c, id: c.id.split("\0")[0]! }) }), [APART]],
  [
    "stores texts that look like numbers as numbers",
    broken({ keyOf: (l, c) => keyOf(l, { ...c, id: numeric(c.id) }) }),
    [APART],
  ],
  ["forgets the bucket", broken({ keyOf: (l, c) => keyOf(l, { ...c, bucket: 0 }) }), [BUCKETS]],
  ["forgets the ledger", broken({ keyOf: (_, c) => keyOf("", c) }), [APART]],
  [
    "keeps buckets in 32 bits",
    broken({ keyOf: (l, c) => keyOf(l, { ...c, bucket: c.bucket | 0 }) }),
    [BUCKETS],
  ],
  [
    "shows what has expired",
    broken({ isExpired: () => false }),
    [
      "from the moment it expires, a counter is shown as 0",
      "what is added to a counter that has expired never shows, and the rest of the step counts",
      HISTORIES,
    ],
  ],
  [
    "forgets a millisecond early",
    broken({ isExpired: (counter, now) => counter.expiresAt <= now + 1 }),
    ["from the moment it expires, a counter is shown as 0"],
  ],
  ["forgets everything", changed((store) => ({ forget: () => store.forget(Infinity) })), [FORGET, HISTORIES]],
  ["forgets nothing", changed(() => ({ forget: async () => 0 })), [FORGET]],
  [
    "does not say how much it forgot",
    changed((store) => ({ forget: async (b) => store.forget(b).then(() => 0) })),
    [FORGET],
  ],
  ["answers after it was closed", changed(() => ({ close: async () => undefined })), [CLOSE]],
  ["fails when it is closed twice", changed(closingOnce), [CLOSE]],
  [
    "hands out copies of results",
    changed((store) => ({ transact: async (step) => structuredClone(await store.transact(step)) })),
    [RESULT],
  ],
  [
    "puts an error of its own in place of the decision's",
    changed((store) => ({
      transact: async (step) =>
        store.transact(step).catch((cause: unknown) => {
          throw new StoreError("failed", { applied: "no", cause });
        }),
    })),
    [THROWS, ALONE],
  ],
  [
    "rejects a whole batch when one decision throws",
    changed(batching),
    [ALONE, ...unfit("a fraction", "one addition too few")],
  ],
  [
    "reads nothing for itself",
    changed(() => ({ read: async (_, counters) => counters.map(() => 0) })),
    [SHOWN, HISTORIES],
  ],
  [
    "gives every handle data of its own",
    () => ({ ...sharing(() => plainStore()) }),
    [ONE_TRUTH, SERIAL, HISTORIES],
  ],
];

describe("a store is caught that", () => {
  // A fault that only some histories bring to light must be caught every time: the histories are the same ones, here alone.
  stopAtFirstFailure({ seed: 7 });

  const cases = faults.flatMap(([fault, open, caughtBy]) =>
    caughtBy.map((name) => [fault, name, open] as const),
  );

  test.each(cases)("%s — by: %s", { timeout: 60_000 }, async (_, name, open) => {
    const check = usageStoreChecks.find((each) => each.name === name);
    expect(check, `there is no check named ${name}`).toBeDefined();
    await expect(check?.run(open())).rejects.toThrow();
  });

  test.each(shakenUsageStoreChecks)(
    "does not wait for itself, when it is shaken — by: $name",
    async ({ run }) => {
      const racy = run(async (pause) => sharing((shared) => plainStore({ ...shared, pause, order: "none" })));
      await expect(racy).rejects.toThrow();
    },
  );

  test.each(shakenUsageStoreChecks)(
    "writes verdicts that fell, when it is shaken — by: $name",
    async ({ run }) => {
      const careless = run(async (pause) =>
        sharing((shared) => optimisticStore({ ...shared, pause, stands: () => true })),
      );
      await expect(careless).rejects.toThrow();
    },
  );

  test("takes a bound that is undefined for none, when it is shaken", async () => {
    const { run } = shakenUsageStoreChecks.find(({ name }) => name.includes("bound is undefined"))!;
    const careless = run(async (pause) =>
      sharing((shared) =>
        optimisticStore({
          ...shared,
          pause,
          stands: (now, shown, bounds) => now.every((x, i) => (bounds ? !(x > bounds[i]!) : x === shown[i])),
        }),
      ),
    );
    await expect(careless).rejects.toThrow();
  });
});

/** Two handles made of the same data, and of the same queue. */
function sharing(
  make: (shared: Pick<Parts, "data"> & { readonly queue: { last: Promise<unknown> } }) => UsageStore,
): UsageStoreUnderTest {
  const shared = {
    data: new Map<string, { amount: number; expiresAt: number }>(),
    queue: { last: Promise.resolve() },
  };
  const store = make(shared);
  return { store, another: async () => make(shared), dispose: () => store.close() };
}

function broken(parts: Partial<Parts>): () => UsageStoreUnderTest {
  return () => sharing((shared) => plainStore({ ...shared, ...parts }));
}

function changed(change: (store: UsageStore) => Partial<UsageStore>): () => UsageStoreUnderTest {
  return () =>
    sharing((shared) => {
      const store = plainStore(shared);
      return { ...store, ...change(store) };
    });
}

function unfit(...kinds: readonly string[]): readonly string[] {
  return kinds.map((kind) => `a verdict with ${kind} is rejected, alone, and nothing of it is written`);
}

const keyOf: Parts["keyOf"] = (ledger, { id, bucket }) => JSON.stringify([ledger, id, bucket]);

function numeric(id: string): string {
  return id.trim() === id && id !== "" && Number.isFinite(Number(id)) ? String(Number(id)) : id;
}

/** Checks an addition when it comes to it, with those before it written. */
function halfApplying({ data }: Pick<Parts, "data">): UsageStore {
  return {
    ...plainStore({ data }),
    async transact({ ledger, counters, decide }) {
      const keys = counters.map((counter) => keyOf(ledger, counter));
      const amounts = keys.map((key) => data.get(key)?.amount ?? 0);
      const { result, additions } = decide(amounts);
      keys.forEach((key, i) => {
        checkAdditions([additions[i]], [amounts[i]!]);
        data.set(key, { amount: amounts[i]! + additions[i]!, expiresAt: counters[i]!.expiresAt });
      });
      return result;
    },
  };
}

function closingOnce(store: UsageStore): Partial<UsageStore> {
  let closed = false;
  return {
    close: async () => {
      if (closed) throw new Error("closed already");
      closed = true;
      await store.close();
    },
  };
}

/** Carries out what was asked in one turn together: when one fails, all do. */
function batching(store: UsageStore): Partial<UsageStore> {
  let batch: Promise<unknown>[] = [];
  return {
    transact: async (step) => {
      const mine = store.transact(step);
      const batched = batch;
      batched.push(mine);
      await Promise.resolve();
      batch = [];
      await Promise.all(batched);
      return mine;
    },
  };
}
