import {
  budgetSpan,
  parseBudget,
  SUBJECT_KINDS,
  type Budget,
  type SpendEvent,
  type SpendSubject,
} from "@quota/core";
import { startSpendFlusher, type SpendGrouping, type SpendLedger, type SpendQueue } from "@quota/engine";
import { createRedisSpendQueue, openRedis } from "@quota/redis";
import { createSqliteSpendBooks, openQuotaDatabase } from "@quota/sqlite";
import { seededNumbers } from "../../server/simulator/seededNumbers.js";

/** What became of a month. */
export interface SpendMonthReport {
  readonly events: number;
  /** Events that were handed in a second time, most of them with another payload. */
  readonly repeats: number;
  /** Everything that all keys spent, in nano-dollars, as it was added up outside of the product. */
  readonly total: bigint;
  /** What does not agree, in sentences: none if all is well. */
  readonly faults: readonly string[];
  /** What Redis has grown by, for each id that it remembers so that a repeat is known. */
  readonly bytesPerId: number;
  readonly seconds: number;
}

/**
 * A month of traffic, as fast as it goes: so many requests of 24 keys in 6 teams and 2 organisations, through the queue in Redis and two flushers into a ledger in
 * SQLite, with budgets by the day, the week, the month and once, in four zones. In the end nothing is hot, and every sum of the ledger is the one that was
 * added up beside it.
 */
export async function spendMonth({
  events,
  seed,
  redisUrl,
  file,
}: {
  readonly events: number;
  readonly seed: string;
  readonly redisUrl: string;
  /** Of the ledger; not there yet. */
  readonly file: string;
}): Promise<SpendMonthReport> {
  const began = performance.now();
  const clock = { at: MONTH_BEGINS, now: () => clock.at };
  const db = await openQuotaDatabase({ file });
  const { ledger, budgets } = createSqliteSpendBooks(db);
  const clients = [await openRedis(redisUrl), await openRedis(redisUrl)];
  const queues = await Promise.all(
    clients.map((client) => createRedisSpendQueue(client, { timeoutMs: 60_000 })),
  );
  const given = budgetsOfTheMonth();
  for (const [subject, budget] of given) await budgets.set(subject, budget, MONTH_BEGINS);
  const before = await usedMemory(clients[0]!);
  const flushers = queues.map((queue) => startSpendFlusher({ queue, ledger, clock }));

  const sums = createSums();
  const { repeats } = await handIn({ events, random: seededNumbers(seed), clock, queues, sums, flushers });
  // Whoever takes out last is not known: each looks until it sees nothing.
  for (const flusher of flushers) await flusher.flush();
  const bytesPerId = ((await usedMemory(clients[0]!)) - before) / events;

  const faults = await disagreements({ queue: queues[0]!, ledger, sums, events });
  const added = flushers.reduce((sum, flusher) => sum + flusher.status().added, 0);
  if (added !== events) faults.push(`The ledger has added ${added} events, not ${events}.`);
  for (const [subject, budget] of given)
    for (let day = 0; day < DAYS; day += 1) {
      const noon = MONTH_BEGINS + (day + 0.5) * DAY_MS;
      const { spent, pending } = (await budgets.standing(subject, noon))!;
      const { opens, ends } = budgetSpan(budget, noon);
      const expected = sums.startedWithin(subject, opens, ends === "never" ? Infinity : ends);
      if (spent !== expected || pending !== 0n)
        faults.push(
          `The ${budget.period} of ${subject.kind} ${subject.id} on day ${day + 1} has ${spent} spent and ${pending} pending, not ${expected} and 0.`,
        );
    }

  for (const flusher of flushers) await flusher.stop();
  for (const queue of queues) await queue.close();
  for (const client of clients) client.disconnect();
  await budgets.close();
  await ledger.close();
  db.close();
  return {
    events,
    repeats,
    total: sums.all(),
    faults,
    bytesPerId,
    seconds: (performance.now() - began) / 1000,
  };
}

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const DAYS = 31;
/** In it, clocks are put forward in New York (the 8th) and in Paris (the 29th). */
const MONTH_BEGINS = Date.UTC(2026, 2, 1);
/** How many are handed in at once, and how many may wait before more come. */
const AT_ONCE = 500;
const MOST_WAITING = 20_000;
const MODELS = ["gpt-5", "gpt-5-mini", "claude-sonnet", "claude-haiku", "kimi-k2", "nobody-knows"];

function budgetsOfTheMonth(): readonly (readonly [SpendSubject, Budget])[] {
  const budget = (spec: Readonly<Record<string, unknown>>): Budget => {
    const parsed = parseBudget({ limitUsd: 9_000_000, ...spec }, MONTH_BEGINS);
    if (!parsed.ok) throw new Error(parsed.faults.map(({ message }) => message).join(" "));
    return parsed.value;
  };
  return [
    [{ kind: "key", id: "key 0" }, budget({ period: "day", timeZone: "America/New_York" })],
    [{ kind: "key", id: "key 1" }, budget({ period: "week", timeZone: "Europe/Paris" })],
    [{ kind: "team", id: "team 0" }, budget({ period: "day", timeZone: "Asia/Tokyo" })],
    [{ kind: "team", id: "team 1" }, budget({ period: "month" })],
    [
      { kind: "organisation", id: "organisation 0" },
      budget({ period: "once", since: MONTH_BEGINS + 10 * DAY_MS }),
    ],
  ];
}

/** Hands all events in, in the order of time, some of them twice. */
async function handIn({
  events,
  random,
  clock,
  queues,
  sums,
  flushers,
}: {
  readonly events: number;
  readonly random: () => number;
  readonly clock: { at: number };
  readonly queues: readonly SpendQueue[];
  readonly sums: Sums;
  readonly flushers: readonly { kick(): void; flush(): Promise<unknown> }[];
}): Promise<{ readonly repeats: number }> {
  let repeats = 0;
  for (let first = 0; first < events; first += AT_ONCE) {
    const batch = Array.from({ length: Math.min(AT_ONCE, events - first) }, (_, i) =>
      eventOf(first + i, events, random),
    );
    for (const event of batch) sums.add(event);
    // A gateway that did not hear an answer asks again: at once, or when the first has long been written.
    const again = batch.filter(() => random() < 0.01).map((event) => ({ ...event, cost: 1 }));
    repeats += again.length;
    clock.at = batch.at(-1)!.endedAt;
    const said = await Promise.all(
      batch.map((event, i) => queues[i % queues.length]!.enqueueSpend(event, event.endedAt)),
    );
    if (said.includes("known")) throw new Error("A new event was taken for one that is known.");
    for (const flusher of flushers) flusher.kick();
    if (random() < 0.5) await flushers[0]!.flush();
    const repeated = await Promise.all(
      again.map((event, i) => queues[i % queues.length]!.enqueueSpend(event, event.endedAt)),
    );
    if (repeated.includes("queued")) throw new Error("A repeat was taken for a new event.");
    if ((await queues[0]!.backlog()).waiting > MOST_WAITING) await flushers[0]!.flush();
  }
  return { repeats };
}

function eventOf(index: number, events: number, random: () => number): SpendEvent {
  const key = Math.floor(random() ** 2 * 24);
  const startedAt = MONTH_BEGINS + Math.floor((index / events) * DAYS * DAY_MS);
  const model = MODELS[Math.floor(random() * MODELS.length)]!;
  // Some so large that the sums of all are no numbers of JavaScript any more.
  const cost = Math.floor(random() < 0.1 ? random() * 1e12 : random() * 1e8);
  return {
    requestId: `req_${index.toString(36)}_${Math.floor(random() * 2 ** 32).toString(36)}`,
    subjects: [
      { kind: "key", id: `key ${key}` },
      { kind: "team", id: `team ${key % 6}` },
      { kind: "organisation", id: `organisation ${key % 2}` },
    ],
    cost: model === "nobody-knows" ? "unpriced" : cost,
    startedAt,
    endedAt: Math.min(startedAt + Math.floor(random() * 60_000), MONTH_BEGINS + DAYS * DAY_MS - 1),
    provider: "openai",
    connectionId: "seat",
    model,
    tokens: { input: 1000, cachedInput: 100, cacheWrite: 0, output: 300, reasoning: 0 },
    outcome: "answered",
  };
}

/** What was spent, added up by somebody who knows nothing of the product. */
interface Sums {
  add(event: SpendEvent): void;
  all(): bigint;
  subjects(): readonly SpendSubject[];
  of(subject: SpendSubject): bigint;
  /** By hours: every midnight of these zones is one. */
  startedWithin(subject: SpendSubject, from: number, to: number): bigint;
  groups(groupBy: SpendGrouping): ReadonlyMap<string, GroupSum>;
}

interface GroupSum {
  cost: bigint;
  requests: number;
  unpriced: number;
}

function createSums(): Sums {
  const totals = new Map<string, bigint>();
  const hours = new Map<string, bigint[]>();
  const subjects = new Map<string, SpendSubject>();
  const groups = new Map<SpendGrouping, Map<string, GroupSum>>();
  const note = (groupBy: SpendGrouping, group: string, cost: bigint | undefined): void => {
    let named = groups.get(groupBy);
    if (named === undefined) groups.set(groupBy, (named = new Map<string, GroupSum>()));
    const sum = named.get(group) ?? { cost: 0n, requests: 0, unpriced: 0 };
    sum.cost += cost ?? 0n;
    sum.requests += 1;
    if (cost === undefined) sum.unpriced += 1;
    named.set(group, sum);
  };
  let all = 0n;
  return {
    add(event) {
      const cost = event.cost === "unpriced" ? undefined : BigInt(event.cost);
      all += cost ?? 0n;
      const hour = Math.floor((event.startedAt! - MONTH_BEGINS) / HOUR_MS);
      for (const subject of event.subjects) {
        const name = `${subject.kind} ${subject.id}`;
        subjects.set(name, subject);
        totals.set(name, (totals.get(name) ?? 0n) + (cost ?? 0n));
        let ofHours = hours.get(name);
        if (ofHours === undefined) hours.set(name, (ofHours = Array<bigint>(DAYS * 24).fill(0n)));
        ofHours[hour]! += cost ?? 0n;
        note(subject.kind, subject.id, cost);
      }
      note("model", event.model!, cost);
      note("day", new Date(event.endedAt).toISOString().slice(0, 10), cost);
    },
    all: () => all,
    subjects: () => [...subjects.values()],
    of: ({ kind, id }) => totals.get(`${kind} ${id}`) ?? 0n,
    startedWithin({ kind, id }, from, to) {
      let sum = 0n;
      for (const [hour, amount] of (hours.get(`${kind} ${id}`) ?? []).entries()) {
        const at = MONTH_BEGINS + hour * HOUR_MS;
        if (at >= from && at < to) sum += amount;
      }
      return sum;
    },
    groups: (groupBy) => groups.get(groupBy) ?? new Map<string, GroupSum>(),
  };
}

async function disagreements({
  queue,
  ledger,
  sums,
}: {
  readonly queue: SpendQueue;
  readonly ledger: SpendLedger;
  readonly sums: Sums;
  readonly events: number;
}): Promise<string[]> {
  const faults: string[] = [];
  const { waiting } = await queue.backlog();
  if (waiting !== 0) faults.push(`${waiting} events still wait.`);
  for (const subject of sums.subjects()) {
    const hot = await queue.hotSpend(subject);
    if (hot !== 0n) faults.push(`${hot} of ${subject.kind} ${subject.id} are still hot.`);
    const total = await ledger.total(subject);
    if (total !== sums.of(subject))
      faults.push(`The total of ${subject.kind} ${subject.id} is ${total}, not ${sums.of(subject)}.`);
  }
  for (const groupBy of [...SUBJECT_KINDS, "model", "day"] as const) {
    const told = await ledger.spend({ groupBy, from: MONTH_BEGINS, to: MONTH_BEGINS + DAYS * DAY_MS });
    const expected = sums.groups(groupBy);
    const named = told.filter(({ group }) => group !== undefined);
    if (expected.size !== named.length)
      faults.push(`By ${groupBy} there are ${named.length} groups, not ${expected.size}.`);
    for (const { group, cost, requests, unpriced } of named) {
      const sum = expected.get(group!);
      if (sum?.cost !== cost || sum.requests !== requests || sum.unpriced !== unpriced)
        faults.push(
          `The ${groupBy} ${group!} has ${cost} of ${requests} requests, not ${sum?.cost} of ${sum?.requests}.`,
        );
    }
  }
  return faults;
}

async function usedMemory(client: {
  call(name: string, ...args: string[]): Promise<unknown>;
}): Promise<number> {
  return Number(/used_memory:(\d+)/.exec(String(await client.call("info", "memory")))?.[1]);
}
