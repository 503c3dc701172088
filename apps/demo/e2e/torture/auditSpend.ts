import type { SpendSubject } from "@quota/core";
import type { AskedOnce } from "./askAround.js";
import { TORTURE_LEASE_MS } from "./tortureGateway.js";
import type { TortureWorld } from "./tortureWorld.js";

/** Everybody who pays. */
const PAYERS: readonly (readonly [SpendSubject, column: string])[] = [
  [{ kind: "key", id: "alice" }, "key_id"],
  [{ kind: "key", id: "bob" }, "key_id"],
  [{ kind: "key", id: "carol" }, "key_id"],
  [{ kind: "team", id: "red" }, "team_id"],
  [{ kind: "organisation", id: "acme" }, "organisation_id"],
];

/** A budget once and for all that was given at a moment. */
export interface OnceBudget {
  readonly subject: SpendSubject;
  readonly since: number;
  /** In nano-dollars. */
  readonly limit: bigint;
}

/**
 * What is wrong with the books when nothing is under way and nothing waits any more, in sentences.
 *
 * @param asked every request of these clients.
 * @param prefix of their tags, and of nobody else's.
 */
export async function auditSpend(
  world: TortureWorld,
  {
    asked,
    prefix,
    once,
    orphans,
  }: {
    readonly asked: readonly AskedOnce[];
    readonly prefix: string;
    readonly once: OnceBudget;
    /** Pending rows that were told of already; those that are found are added. */
    readonly orphans: Set<string>;
  },
): Promise<readonly string[]> {
  return [
    ...(await eventFaults(world, asked, prefix)),
    ...(await sumFaults(world)),
    ...(await hotFaults(world)),
    ...(await pendingFaults(world, orphans)),
    ...(await budgetFaults(world, once, orphans.size > 0)),
  ];
}

async function eventFaults(
  world: TortureWorld,
  asked: readonly AskedOnce[],
  prefix: string,
): Promise<string[]> {
  const faults: string[] = [];
  const events = await world.rows(
    `SELECT user_id AS tag, cost, request_id FROM spend_events JOIN spend_accounts USING (account) WHERE user_id LIKE '${prefix}-%'`,
  );
  const byTag = new Map<string, bigint[]>();
  for (const { tag, cost } of events) {
    const costs = byTag.get(String(tag)) ?? [];
    byTag.set(String(tag), [...costs, amount(cost)]);
  }
  if (new Set(events.map(({ request_id }) => request_id)).size !== events.length)
    faults.push("A request id is in the ledger twice.");
  for (const { tag, key, isWhole, cost } of asked) {
    const costs = byTag.get(tag) ?? [];
    byTag.delete(tag);
    if (costs.length > 1) faults.push(`${tag} of ${key} is charged ${costs.length} times.`);
    if (isWhole && costs.length === 0)
      faults.push(`${tag} of ${key} got a whole answer, and its event is lost.`);
    if (isWhole && costs.length === 1 && costs[0] !== cost)
      faults.push(`${tag} of ${key} is charged ${costs[0]}, and its answer says ${cost}.`);
  }
  for (const tag of byTag.keys()) faults.push(`Nobody asked for ${tag}, and it is charged.`);
  return faults;
}

/** What was kept as sums is the sum of the events. */
async function sumFaults({ rows, ledger }: TortureWorld): Promise<string[]> {
  const faults: string[] = [];
  const groups = await ledger.spend({ groupBy: "key", from: 0, to: quarterAfter(Date.now()) });
  for (const [subject, column] of PAYERS) {
    const [sum] = await rows(
      `SELECT CAST(COALESCE(SUM(cost), 0) AS text) AS cost FROM spend_events JOIN spend_accounts USING (account) WHERE ${column} = '${subject.id}'`,
    );
    const expected = amount(sum!["cost"]);
    const total = await ledger.total(subject);
    if (total !== expected)
      faults.push(`The total of ${subject.id} is ${total}, its events are ${expected}.`);
    if (subject.kind !== "key") continue;
    const told = groups.find(({ group }) => group === subject.id)?.cost ?? 0n;
    if (told !== expected)
      faults.push(`${subject.id} is told to have spent ${told}, its events are ${expected}.`);
  }
  return faults;
}

async function hotFaults(world: TortureWorld): Promise<string[]> {
  const faults: string[] = [];
  await world.withQueue(async (queue) => {
    const { waiting } = await queue.backlog();
    if (waiting > 0) faults.push(`${waiting} events still wait.`);
    for (const [subject] of PAYERS) {
      const hot = await queue.hotSpend(subject);
      if (hot !== 0n) faults.push(`${hot} of ${subject.kind} ${subject.id} are hot, and nothing waits.`);
    }
  });
  // Of everybody else, too: each request has a user of its own.
  const left =
    world.redis === undefined
      ? (await world.rows("SELECT subject FROM spend_hot")).length
      : Number(await world.redis.ask("EVAL", "return #redis.call('keys', '*:hot:*')", "0"));
  if (left > 0) faults.push(`${left} sums of hot spend are left, and nothing waits.`);
  return faults;
}

/** Once their leases are over, nobody holds anything. */
async function pendingFaults({ rows, budgets }: TortureWorld, orphans: Set<string>): Promise<string[]> {
  const later = Date.now() + 2 * TORTURE_LEASE_MS;
  const swept = { requestId: "sweep", subjects: [PAYERS[0]![0]], startedAt: later, estimate: 0 };
  const leased = async () =>
    (await rows("SELECT request_id FROM pending_spend WHERE lease_end IS NOT NULL")).length;
  for (let i = 0; i < 100 && (await leased()) > 0; i += 1) {
    await budgets.hold({ ...swept, leaseEnd: later + TORTURE_LEASE_MS }, later);
    await budgets.release(swept.requestId);
  }
  const faults: string[] = [];
  if ((await leased()) > 0) faults.push("Holds whose lease has ended are still there.");
  const kept = await rows("SELECT request_id, amount FROM pending_spend WHERE lease_end IS NULL");
  for (const row of kept) {
    const id = String(row["request_id"]);
    if (orphans.has(id)) continue;
    orphans.add(id);
    faults.push(`${id} is answered and pending with ${amount(row["amount"])}, and its event is nowhere.`);
  }
  return faults;
}

async function budgetFaults(
  { rows, budgets }: TortureWorld,
  { subject, since, limit }: OnceBudget,
  hasOrphans: boolean,
): Promise<string[]> {
  const faults: string[] = [];
  const [sum] = await rows(
    `SELECT CAST(COALESCE(SUM(cost), 0) AS text) AS cost FROM spend_events JOIN spend_accounts USING (account) WHERE key_id = '${subject.id}' AND started_at >= ${since}`,
  );
  const spent = amount(sum!["cost"]);
  if (spent > limit) faults.push(`${subject.id} was let spend ${spent} of a budget of ${limit}.`);
  for (const [each] of PAYERS) {
    const standing = await budgets.standing(each, Date.now());
    if (standing === undefined) continue;
    if (standing.pending !== 0n && !hasOrphans)
      faults.push(`The budget of ${each.id} has ${standing.pending} pending, and nothing is.`);
    if (each.id === subject.id && standing.spent !== spent)
      faults.push(`The budget of ${each.id} has ${standing.spent} spent, its events are ${spent}.`);
  }
  return faults;
}

const QUARTER_MS = 900_000;

function quarterAfter(at: number): number {
  return (Math.floor(at / QUARTER_MS) + 2) * QUARTER_MS;
}

/** As SQLite and PostgreSQL give it. */
function amount(value: unknown): bigint {
  return BigInt(value as string | bigint | number);
}
