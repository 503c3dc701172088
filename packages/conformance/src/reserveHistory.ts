import { parseDimensions, type Decision, type DimensionSpec } from "@quota/core";
import {
  createMemoryPlanOverrides,
  createMemoryPoolDirectory,
  createQuotaEngine,
  type Lease,
  type QuotaEngine,
  type UsageStore,
} from "@quota/engine";
import fc from "fast-check";
import { MONDAY } from "./windowsOffice.js";

/** Something that one of two processes does under `reserve`. */
export type ReserveDeed =
  | { readonly kind: "admit"; readonly by: 0 | 1; readonly key: number; readonly tokens: number }
  /** The oldest open request ends, having cost a part of its estimate. */
  | { readonly kind: "end"; readonly part: number }
  | { readonly kind: "wait"; readonly ms: number };

const KEYS = ["alice", "bob", "carol", "mallory"] as const;
const LIMIT = 60;

export const reserveDeedsArbitrary: fc.Arbitrary<readonly ReserveDeed[]> = fc.array(
  fc.oneof(
    {
      weight: 5,
      arbitrary: fc.record({
        kind: fc.constant("admit" as const),
        by: fc.constantFrom(0 as const, 1 as const),
        key: fc.nat({ max: KEYS.length - 1 }),
        tokens: fc.nat({ max: 25 }),
      }),
    },
    {
      weight: 3,
      arbitrary: fc.record({ kind: fc.constant("end" as const), part: fc.constantFrom(0, 0.5, 1) }),
    },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant("wait" as const), ms: fc.nat({ max: 900_000 }) }) },
  ),
  { minLength: 4, maxLength: 16 },
);

/** Two processes over two handles of one store, and a pool that keeps reserves. */
export async function reservingPool(stores: readonly [UsageStore, UsageStore]) {
  const pools = createMemoryPoolDirectory();
  const plans = createMemoryPlanOverrides();
  const time = { now: MONDAY };
  const plan: DimensionSpec = { unit: "tokens", window: "hourly", limit: LIMIT, anchor: "epoch" };
  const parsed = parseDimensions([plan, { unit: "requests", window: "5h", limit: 40, anchor: "epoch" }]);
  if (!parsed.ok) throw new Error(parsed.faults.map(({ message }) => message).join(" "));
  await plans.set("seat", parsed.value);
  const allocations = [
    { apiKeyId: "alice", weight: 50 },
    { apiKeyId: "bob", weight: 30 },
    { apiKeyId: "carol", weight: 20, lend: false },
  ];
  const pool = await pools.create(
    { connectionId: "seat", name: "Team", lending: "reserve", allocations },
    MONDAY,
  );
  const engineOver = (store: UsageStore): QuotaEngine =>
    createQuotaEngine({ store, pools, plans, clock: { now: () => time.now } });
  const engines = [engineOver(stores[0]), engineOver(stores[1])] as const;
  const open: { readonly by: QuotaEngine; readonly lease: Lease; readonly tokens: number }[] = [];

  return {
    time,
    /** Whoever may pass holds its estimate until it ends. */
    async admit(by: 0 | 1, key: number, tokens: number): Promise<Decision> {
      const engine = engines[by];
      const caller = { apiKeyId: KEYS[key]!, connectionId: "seat", provider: "kimi" };
      const { decision, lease } = await engine.admit({ ...caller, estimate: { tokens } });
      if (decision.status === "unjudged") throw new Error("The store failed.", { cause: decision.cause });
      if (lease !== undefined) open.push({ by: engine, lease, tokens });
      return decision;
    },
    async end(part: number): Promise<void> {
      const ended = open.shift();
      if (ended !== undefined)
        await ended.by.settle(ended.lease, { tokens: Math.round(ended.tokens * part) });
    },
    async look(by: 0 | 1 = 0) {
      const usage = await engines[by].usage(pool.id);
      return usage!.dimensions.map(({ used, reserved, spare, perKey, dimension: { limit } }) => ({
        ...{ used, reserved, spare, limit },
        perKey: perKey.map(({ apiKeyId, consumed, held, reserve, available }) => ({
          ...{ apiKeyId, consumed, held, reserve, available },
        })),
      }));
    },
    async close(): Promise<void> {
      for (const engine of engines) await engine.close();
    },
  };
}

/** Plays deeds one after the other; what was answered, and how things stood after each. */
export async function told(
  stores: readonly [UsageStore, UsageStore],
  deeds: readonly ReserveDeed[],
): Promise<readonly unknown[]> {
  const pool = await reservingPool(stores);
  const answers: unknown[] = [];
  for (const deed of deeds) {
    pool.time.now += 101;
    if (deed.kind === "wait") pool.time.now += deed.ms;
    if (deed.kind === "end") await pool.end(deed.part);
    if (deed.kind === "admit") answers.push(outcomeOf(await pool.admit(deed.by, deed.key, deed.tokens)));
    answers.push(await pool.look());
  }
  await pool.close();
  return answers;
}

/** What becomes of a request. A store may let it pass on amounts of a moment ago, as long as the verdict stands. */
function outcomeOf(decision: Decision): unknown {
  if (decision.status !== "refused") return decision.status;
  const { status, reason, retryAt, decidedBy } = decision;
  return { status, reason, retryAt, decidedBy };
}
