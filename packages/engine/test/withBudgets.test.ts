import {
  parseBudget,
  parseDimensions,
  plantRatePlan,
  ratePathFrom,
  type BudgetSpec,
  type NanoUsd,
  type SpendSubject,
} from "@quota/core";
import {
  createMemoryPlanOverrides,
  createMemoryPoolDirectory,
  createMemorySpendBooks,
  createMemorySpendQueue,
  createMemoryUsageStore,
  createQuotaEngine,
  createRateAdmission,
  createWaitingRoom,
  startSpendFlusher,
  StoreError,
  withBudgets,
  withRatePlan,
  type BudgetLedger,
  type Lease,
  type QuotaEngine,
  type QuotaRequest,
  type RatedEngine,
  type WithBudgetsOptions,
} from "@quota/engine";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";

const START = Date.UTC(2026, 2, 10, 12);
const LEASE = 60_000;
const DORA: SpendSubject = { kind: "key", id: "dora" };
const BLUE: SpendSubject = { kind: "team", id: "blue" };

interface Setup extends Partial<Omit<WithBudgetsOptions, "engine" | "budgets">> {
  readonly limit?: number;
  readonly around?: (engine: QuotaEngine) => Partial<RatedEngine>;
  readonly ledgerAround?: (budgets: BudgetLedger) => Partial<BudgetLedger>;
}

async function fresh({ limit = 10, around, ledgerAround, ...options }: Setup = {}) {
  const pools = createMemoryPoolDirectory();
  const plans = createMemoryPlanOverrides();
  const allocations = [{ apiKeyId: "dora", weight: 100 }];
  await pools.create({ id: "team", connectionId: "seat", name: "Team", allocations }, START);
  const parsed = parseDimensions([{ unit: "requests", window: "hourly", limit }]);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.faults));
  await plans.set("seat", parsed.value);
  const plain = createQuotaEngine({ store: createMemoryUsageStore(), pools, plans });
  const { ledger, budgets } = createMemorySpendBooks();
  const calls: (readonly unknown[])[] = [];
  const inner = { ...budgets, ...ledgerAround?.(budgets) };
  const warned: string[] = [];
  const engine = withBudgets({
    engine: { ...plain, ...around?.(plain) },
    budgets: {
      budgeted: (subjects) => inner.budgeted(subjects),
      hold: (asked, now) => (calls.push(["hold", asked.requestId]), inner.hold(asked, now)),
      answer: (asked, now) => (calls.push(["answer", asked.requestId, asked.cost]), inner.answer(asked, now)),
      release: (id) => (calls.push(["release", id]), inner.release(id)),
      renew: (ids, end) => (calls.push(["renew", ids, end - Date.now()]), inner.renew(ids, end)),
    },
    leaseMs: LEASE,
    logger: { warn: (_entry, message) => void warned.push(message) },
    ...options,
  });
  const give = async (subject: SpendSubject, spec: Partial<BudgetSpec> = {}) => {
    const read = parseBudget({ limitUsd: 1e-7, period: "day", ...spec }, START);
    if (!read.ok) throw new Error(JSON.stringify(read.faults));
    await budgets.set(subject, read.value, Date.now());
  };
  return {
    engine,
    plain,
    ledger,
    budgets,
    calls,
    warned,
    give,
    /** Spent and pending of the day, and what the pool counts and holds. */
    async books(subject = DORA) {
      const { spent, pending } = (await budgets.standing(subject, Date.now()))!;
      const pool = (await plain.usage("team"))!.dimensions[0]!;
      return [Number(spent), Number(pending), pool.consumedTotal, pool.held];
    },
  };
}

const asks = (
  estimate: NanoUsd | "unpriced" = 40,
  requestId: string = crypto.randomUUID(),
): QuotaRequest => ({
  apiKeyId: "dora",
  connectionId: "seat",
  provider: "kimi",
  spend: { requestId, subjects: [BLUE, DORA], estimate },
});

const away = (applied: "no" | "unknown" = "no") => Promise.reject(new StoreError("away", { applied }));
const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);

/** Not the turns of the event loop, which a flusher waits for. */
const FAKED = ["Date", "setTimeout", "clearTimeout", "setInterval", "clearInterval"] as const;

beforeEach(() => void vi.useFakeTimers({ now: START, toFake: [...FAKED] }));
afterEach(() => void vi.useRealTimers());

describe("a request passes the budgets, then the pool", () => {
  test("and holds its estimate until the answer corrects it and the ledger has it", async () => {
    const { engine, give, books, ledger } = await fresh();
    await give(DORA);
    const request = asks(40, "first");
    const { lease } = await engine.admit(request);
    expect(await books()).toEqual([0, 40, 0, 1]);
    expect(engine.heldOf(lease!)).toEqual({
      requestId: "first",
      subjects: [BLUE, DORA],
      startedAt: START,
    });
    await engine.answer(lease!, 25);
    await engine.settle(lease!);
    expect(await books()).toEqual([0, 25, 1, 0]);
    const { requestId, subjects, startedAt } = engine.heldOf(lease!)!;
    await ledger.commit(
      [{ requestId, subjects, startedAt, cost: 25, endedAt: START, outcome: "answered" }],
      START,
    );
    expect(await books()).toEqual([25, 0, 1, 0]);
    await engine.answer(lease!, 25);
    expect(await books()).toEqual([25, 0, 1, 0]);
  });

  test("and is refused when a budget has no room, whosever it is: nothing is held, no pool is asked", async () => {
    const { engine, give, books, calls } = await fresh();
    await give(DORA, { limitUsd: 1 });
    await give(BLUE);
    await engine.admit(asks(80, "a"));
    expect(await engine.admit(asks(21, "b"))).toMatchObject({
      decision: { status: "refused", reason: "budget-exceeded", standing: { subject: BLUE }, estimate: 21 },
    });
    expect(await books()).toEqual([0, 80, 0, 1]);
    expect(await books(BLUE)).toEqual([0, 80, 0, 1]);
    expect(calls).toEqual([
      ["hold", "a"],
      ["hold", "b"],
    ]);
    expect((await engine.admit(asks(20))).decision.allowed).toBe(true);
  });

  test("and is refused without a price, where a budget says so", async () => {
    const { engine, give } = await fresh();
    await give(DORA, { limitUsd: 0 });
    expect((await engine.admit(asks("unpriced"))).decision.allowed).toBe(true);
    await give(DORA, { whenUnpriced: "refuse" });
    expect((await engine.admit(asks("unpriced"))).decision).toMatchObject({ reason: "budget-unpriced" });
  });

  test("and holds nothing any more when the pool's refusal is answered", async () => {
    const { engine, give, books, calls } = await fresh({ limit: 1 });
    await give(DORA);
    await engine.admit(asks(10, "a"));
    const { decision } = await engine.admit(asks(10, "b"));
    expect(decision).toMatchObject({ status: "refused", reason: "in-flight" });
    expect(await books()).toEqual([0, 10, 0, 1]);
    expect(calls.at(-1)).toEqual(["release", "b"]);
  });

  test("and holds nothing any more when the pool fails", async () => {
    const { engine, give, budgets } = await fresh({
      around: () => ({ admit: () => Promise.reject(new Error("bug")) }),
    });
    await give(DORA);
    await expect(engine.admit(asks())).rejects.toThrow("bug");
    expect((await budgets.standing(DORA, START))!.pending).toBe(0n);
  });

  test("and what cannot be given back ends with its lease, is logged, and changes no answer", async () => {
    const { engine, give, books, warned } = await fresh({
      limit: 1,
      ledgerAround: () => ({ release: () => away() }),
    });
    await give(DORA);
    await engine.settle((await engine.admit(asks(10))).lease!);
    expect((await engine.admit(asks(10))).decision.status).toBe("refused");
    expect(warned).toEqual([expect.stringContaining("could not be given back")]);
    expect((await books()).slice(0, 2)).toEqual([0, 20]);
    await pass(LEASE);
    expect((await books()).slice(0, 2)).toEqual([0, 0]);
  });

  test.each<[string, QuotaRequest]>([
    ["without a payer", { ...asks(), spend: undefined }],
    ["whose payers have no budget", asks()],
  ])("and %s asks nothing, nor what it may cost", async (_, request) => {
    const { engine, calls } = await fresh();
    const spend = request.spend && {
      ...request.spend,
      get estimate(): NanoUsd {
        throw new Error("Nobody needs it.");
      },
    };
    const { lease } = await engine.admit({ ...request, spend });
    expect(engine.heldOf(lease!)).toBeUndefined();
    await engine.answer(lease!, 5);
    await engine.settle(lease!, { requests: 1 });
    const other = await engine.admit({ ...request, spend });
    await engine.release(other.lease!);
    await pass(10 * LEASE);
    await engine.close();
    expect(calls).toEqual([]);
  });

  test("and of one without a budget the pool is asked in the same turn", async () => {
    let isAsked = false;
    const { engine } = await fresh({
      around: (plain) => ({ admit: (request) => ((isAsked = true), plain.admit(request)) }),
    });
    const admission = engine.admit(asks());
    expect(isAsked).toBe(true);
    await admission;
  });

  test("and who pays may be said elsewhere", async () => {
    const spendOf = () => ({ requestId: "told", subjects: [DORA], estimate: 101 });
    const { engine, give } = await fresh({ spendOf });
    await give(DORA);
    expect((await engine.admit({ ...asks(), spend: undefined })).decision).toMatchObject({
      reason: "budget-exceeded",
    });
  });

  test.each([NaN, -1, 0.5, Infinity, 2 ** 53])("and %d is no estimate, and no cost", async (amount) => {
    const { engine, give, books } = await fresh();
    await give(DORA);
    const invalid = expect.objectContaining({ name: "InvalidAmountError" });
    await expect(engine.admit(asks(amount))).rejects.toEqual(invalid);
    const { lease } = await engine.admit(asks(5));
    await expect(engine.answer(lease!, amount)).rejects.toEqual(invalid);
    await expect(engine.settle(lease!, { requests: -1 })).rejects.toEqual(invalid);
    expect(await books()).toEqual([0, 5, 0, 1]);
  });
});

describe("what is held", () => {
  test("is given back once, and not after it was settled or answered", async () => {
    const { engine, give, books, calls } = await fresh();
    await give(DORA);
    const [a, b, c] = [
      await engine.admit(asks(10, "a")),
      await engine.admit(asks(10, "b")),
      await engine.admit(asks(10, "c")),
    ];
    await engine.release(a.lease!);
    await engine.release(a.lease!);
    await engine.settle(b.lease!);
    await engine.release(b.lease!);
    await engine.answer(c.lease!, 3);
    await engine.release(c.lease!);
    expect(calls.filter(([name]) => name === "release")).toEqual([["release", "a"]]);
    expect(await books()).toEqual([0, 13, 1, 0]);
  });

  test("is renewed each half lease, all in one call, and as long as it is open", async () => {
    const { engine, give, books, calls } = await fresh();
    await give(DORA);
    const a = await engine.admit(asks(1, "a"));
    await pass(LEASE / 4);
    const b = await engine.admit(asks(2, "b"));
    await pass(LEASE / 4);
    expect(calls.splice(0).at(-1)).toEqual(["renew", ["a", "b"], LEASE]);
    await pass(10 * LEASE);
    expect(calls.splice(0)).toHaveLength(20);
    expect((await books()).slice(0, 2)).toEqual([0, 3]);
    await engine.answer(a.lease!, 7);
    await pass(LEASE / 2);
    expect(calls.splice(0).at(-1)).toEqual(["renew", ["b"], LEASE]);
    await engine.release(b.lease!);
    calls.splice(0);
    await pass(10 * LEASE);
    expect(calls).toEqual([]);
    expect((await books()).slice(0, 2)).toEqual([0, 7]);
  });

  test("outlives a renewal that fails", async () => {
    let fails = true;
    const { engine, give, books, calls, warned } = await fresh({
      ledgerAround: ({ renew }) => ({ renew: (...given) => (fails ? away() : renew(...given)) }),
    });
    await give(DORA);
    await engine.admit(asks(9));
    await pass(LEASE / 2);
    fails = false;
    await pass(LEASE / 8);
    expect(calls.filter(([name]) => name === "renew")).toHaveLength(2);
    await pass(LEASE);
    expect(warned).toHaveLength(1);
    expect((await books()).slice(0, 2)).toEqual([0, 9]);
  });

  test("ends with its lease, when the process has died, or closed without an answer", async () => {
    const { engine, give, books } = await fresh();
    await give(DORA);
    await engine.admit(asks(9));
    await engine.close();
    await pass(LEASE - 1);
    expect((await books()).slice(0, 2)).toEqual([0, 9]);
    await pass(1);
    expect((await books()).slice(0, 2)).toEqual([0, 0]);
  });

  test("is held on when the answer cannot be written, and may be answered after the settlement", async () => {
    let fails = true;
    const { engine, give, books } = await fresh({
      ledgerAround: ({ answer }) => ({ answer: (...given) => (fails ? away() : answer(...given)) }),
    });
    await give(DORA);
    const { lease } = await engine.admit(asks(9));
    await expect(engine.answer(lease!, 4)).rejects.toThrow("away");
    await pass(3 * LEASE);
    expect((await books()).slice(0, 2)).toEqual([0, 9]);
    await engine.settle(lease!);
    await pass(3 * LEASE);
    expect((await books()).slice(0, 2)).toEqual([0, 0]);
    fails = false;
    await engine.answer(lease!, 4);
    await pass(3 * LEASE);
    expect((await books()).slice(0, 2)).toEqual([0, 4]);
  });
});

describe("where the ledger cannot answer, nobody passes who may have a budget", () => {
  const unavailable = { decision: { status: "unavailable", allowed: false, dimensions: [] } };

  test.each<[string, "no" | "unknown", readonly string[]]>([
    ["and nothing was held", "no", ["hold"]],
    ["and what may have been held is given back", "unknown", ["hold", "release"]],
  ])("%s (applied: %s)", async (_, applied, expected) => {
    const { engine, give, calls, books } = await fresh({
      ledgerAround: ({ hold }) => ({
        hold: async (...given) => {
          if (applied === "unknown") await hold(...given);
          return away(applied);
        },
      }),
    });
    await give(DORA);
    const admission = await engine.admit(asks());
    expect(admission).toMatchObject(unavailable);
    expect(admission.decision).toHaveProperty("cause", expect.objectContaining({ message: "away" }));
    await engine.close();
    expect(calls.map(([name]) => name)).toEqual(expected);
    expect(await books()).toEqual([0, 0, 0, 0]);
  });

  test("not even where it cannot say who has one", async () => {
    const { engine, calls } = await fresh({ ledgerAround: () => ({ budgeted: () => away() }) });
    expect(await engine.admit(asks())).toMatchObject(unavailable);
    expect(calls).toEqual([]);
  });

  test("nor where it takes too long: what was held too late is given back", async () => {
    const { engine, give, books } = await fresh({
      ledgerAround: ({ hold }) => ({
        hold: async (...given) => {
          await new Promise((resolve) => setTimeout(resolve, 5000));
          return hold(...given);
        },
      }),
    });
    await give(DORA);
    const admission = engine.admit(asks());
    await pass(1999);
    expect(await Promise.race([admission, Promise.resolve("waits")])).toBe("waits");
    await pass(1);
    expect(await admission).toMatchObject(unavailable);
    await pass(3000);
    expect(await books()).toEqual([0, 0, 0, 0]);
  });

  test("and an answer or a release that it never answers keeps nobody for longer either", async () => {
    const { engine, give, warned } = await fresh({
      timeoutMs: 500,
      ledgerAround: () => ({ answer: () => new Promise(() => 0), release: () => new Promise(() => 0) }),
    });
    await give(DORA);
    const { lease } = await engine.admit(asks(1, "a"));
    const late = expect.objectContaining({ name: "StoreError", applied: "unknown" }) as Error;
    const told = Promise.all([
      expect(engine.answer(lease!, 1)).rejects.toEqual(late),
      engine.release(lease!).then(() => engine.close()),
    ]);
    await pass(500);
    expect(await Promise.race([told.then(() => "over"), pass(0).then(() => "waits")])).toBe("over");
    expect(warned).toEqual([expect.stringContaining("could not be given back")]);
  });

  test("but a failure of the pool is the pool's, and a mistake of the program is thrown", async () => {
    const pool = await fresh({ around: () => ({ admit: () => away() }) });
    await expect(pool.engine.admit(asks())).rejects.toThrow("away");
    const bug = await fresh({ ledgerAround: () => ({ hold: () => Promise.reject(new TypeError("bug")) }) });
    await bug.give(DORA);
    await expect(bug.engine.admit(asks())).rejects.toThrow("bug");
  });
});

describe("with a rate plan before it, and a waiting room before that", () => {
  async function all(setup: Setup = {}) {
    const house = await fresh(setup);
    const planted = plantRatePlan({ nodes: [{ id: "dora", kind: "key", rpm: 2 }] });
    if (!planted.ok) throw new Error(JSON.stringify(planted.faults));
    const known = {
      id: "gateway",
      revision: 1,
      plan: planted.plan,
      path: ratePathFrom(planted.plan, "dora"),
    };
    const rates = createRateAdmission({ store: createMemoryUsageStore() });
    const rated = withRatePlan({ engine: house.engine, rates, planOf: () => known });
    const charged = async () => (await rates.rateUsage(known)).nodes[0]!.requests.used;
    return { ...house, rated, charged, room: createWaitingRoom({ engine: rated }) };
  }

  test("the plan is asked first, then the budgets, then the pool; who refuses leaves nothing charged before it", async () => {
    const { rated, give, charged, books, calls } = await all({ limit: 10 });
    await give(DORA);
    expect((await rated.admit(asks(101))).decision).toMatchObject({ reason: "budget-exceeded" });
    expect(await charged()).toBe(0);
    const first = await rated.admit(asks(40));
    await rated.admit(asks(40));
    calls.splice(0);
    expect((await rated.admit(asks(1))).decision).toMatchObject({ reason: "rate-limit-rpm" });
    expect(calls).toEqual([]);
    await rated.release(first.lease!);
    expect([await charged(), ...(await books())]).toEqual([1, 0, 40, 0, 1]);
  });

  test("the pool's refusal gives back both", async () => {
    const { rated, give, charged, books } = await all({ limit: 1 });
    await give(DORA);
    await rated.admit(asks(5));
    expect((await rated.admit(asks(5))).decision.status).toBe("refused");
    expect([await charged(), ...(await books())]).toEqual([1, 0, 5, 0, 1]);
  });

  test("who waits for the next day is let in when it begins, and belongs to it", async () => {
    const { room, engine, give, budgets } = await all();
    await give(DORA);
    vi.setSystemTime(START + 12 * 3_600_000 - 5000);
    await room.admit(asks(100));
    const waits = room.admit(asks(60), { waitUpTo: 10_000 });
    await pass(4999);
    expect(room.waiting).toBe(1);
    await pass(1);
    const { lease } = await waits;
    expect(engine.heldOf(lease!)!.startedAt).toBe(START + 12 * 3_600_000);
    expect((await budgets.standing(DORA, Date.now()))!.pending).toBe(60n);
  });
});

interface Life {
  readonly estimate: number;
  readonly cost: number;
  readonly payers: "dora" | "both" | "nobody";
  readonly end: "answered" | "released" | "late" | "died";
}

const life: fc.Arbitrary<Life> = fc.record({
  estimate: fc.nat(40),
  cost: fc.nat(60),
  payers: fc.constantFrom("dora", "both", "nobody"),
  end: fc.constantFrom("answered", "answered", "released", "late", "died"),
});

test("property: a dollar is counted once at any instant, nobody is let in above a budget, and a refusal changes nothing", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.scheduler(),
      fc.array(life, { minLength: 1, maxLength: 8 }),
      fc.integer({ min: 2, max: 8 }),
      async (scheduler, lives, limit) => {
        /** By request: what it counts for now. */
        const counts = new Map<string, bigint>();
        const { ledger, budgets } = createMemorySpendBooks();
        const sum = async (subject = DORA): Promise<bigint> => {
          const { spent, pending } = (await budgets.standing(subject, Date.now()))!;
          return spent + pending;
        };
        const expected = (): bigint => [...counts.values()].reduce((a, b) => a + b, 0n);
        /** What happens next happens at once; then every dollar is where it should be. */
        const step = async <Answer>(name: string, work: () => Promise<Answer>): Promise<Answer> => {
          await scheduler.schedule(Promise.resolve(), name);
          const answering = work();
          const [seen, should] = [sum(), expected()];
          expect(await seen).toBe(should);
          return answering;
        };
        const house = await fresh({ limit });
        const engine = withBudgets({
          engine: {
            ...house.plain,
            admit: async (request) => {
              await scheduler.schedule(Promise.resolve(), "the pool");
              return house.plain.admit(request);
            },
          },
          budgets: {
            budgeted: budgets.budgeted,
            hold: async (asked, now) => {
              await scheduler.schedule(Promise.resolve(), `hold ${asked.requestId}`);
              const estimate = BigInt(asked.estimate);
              const fits = estimate === 0n || expected() + estimate <= 100n;
              const holding = budgets.hold(asked, now);
              if (fits) counts.set(asked.requestId, estimate);
              const [seen, should] = [sum(), expected()];
              const decision = await holding;
              expect(decision.allowed).toBe(fits);
              expect(await seen).toBe(should);
              return decision;
            },
            answer: (asked, now) =>
              step(`answer ${asked.requestId}`, () => {
                counts.set(asked.requestId, BigInt(asked.cost));
                return budgets.answer(asked, now);
              }),
            release: (id) =>
              step(`release ${id}`, () => {
                counts.delete(id);
                return budgets.release(id);
              }),
            renew: budgets.renew,
          },
        });
        const read = parseBudget({ limitUsd: 1e-7, period: "day" }, START);
        if (!read.ok) throw new Error("It is none.");
        await budgets.set(DORA, read.value, START);
        const queue = createMemorySpendQueue();
        const flusher = startSpendFlusher({
          queue: {
            peekSpend: (count) => step("peek", () => queue.peekSpend(count)),
            ackSpend: (head, count) => step("ack", () => queue.ackSpend(head, count)),
          },
          ledger: {
            commit: (events, now) => step("commit", () => ledger.commit(events, now)),
            keepDeadLetter: ledger.keepDeadLetter,
          },
          batch: 3,
        });

        const live = async ({ estimate, cost, payers, end }: Life, i: number): Promise<void> => {
          const requestId = `r${String(i)}`;
          const subjects = payers === "nobody" ? [BLUE] : payers === "dora" ? [DORA] : [DORA, BLUE];
          await scheduler.schedule(Promise.resolve(), `ask ${requestId}`);
          const { lease } = await engine.admit({ ...asks(), spend: { requestId, subjects, estimate } });
          if (lease === undefined) return expect(counts.has(requestId)).toBe(false);
          const held = engine.heldOf(lease);
          expect(held === undefined).toBe(payers === "nobody");
          if (end === "died") return;
          if (end === "released") return engine.release(lease);
          if (end === "late") await engine.settle(lease);
          await engine.answer(lease, cost);
          const event = { requestId, subjects, cost, endedAt: START, outcome: "answered" as const };
          const { startedAt = START } = held ?? {};
          await step(`hand in ${requestId}`, () => queue.enqueueSpend({ ...event, startedAt }, START));
          flusher.kick();
          await endOf(lease);
        };
        const endOf = (lease: Lease): Promise<void> => engine.settle(lease);

        await scheduler.waitFor(Promise.all(lives.map(live)));
        expect(await scheduler.waitFor(flusher.flush())).toBe("drained");
        await scheduler.waitFor(Promise.all([flusher.stop(), engine.close()]));
        const answered = lives.filter(({ payers }, i) => payers !== "nobody" && counts.has(`r${String(i)}`));
        const spent = answered.filter(({ end }) => end !== "died").reduce((a, { cost }) => a + cost, 0);
        const open = answered
          .filter(({ end }) => end === "died")
          .reduce((a, { estimate }) => a + estimate, 0);
        expect(await budgets.standing(DORA, START)).toMatchObject({
          spent: BigInt(spent),
          pending: BigInt(open),
        });
        expect(await queue.hotSpend(DORA)).toBe(0n);
        expect(await ledger.total(DORA)).toBe(BigInt(spent));
      },
    ),
    { numRuns: 100 },
  );
});
