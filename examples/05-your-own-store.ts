// A store of one's own: usage kept in any key-value service that can compare and swap (etcd, Consul, DynamoDB, …).
// examples/test/05-your-own-store.test.ts proves it, in three lines.
import {
  ContendedError,
  createMemoryPlanOverrides,
  createMemoryPoolDirectory,
  createQuotaEngine,
  StoreError,
  type Counter,
  type UsageStore,
} from "@quota/engine";
import { isMain } from "./isMain.js";

/** What the service must be able to do. */
export interface KeyValueService {
  get(key: string): Promise<Versioned | undefined>;
  /** Writes only if the key is still at this version (0: not there yet); whether it did. */
  swap(key: string, value: string, ifVersion: number): Promise<boolean>;
  keys(): Promise<readonly string[]>;
}

interface Versioned {
  readonly value: string;
  readonly version: number;
}

/** How often a step is decided anew because a neighbour was faster. */
const MAX_ATTEMPTS = 100;

/** One ledger is one key: what is consistent together is swapped together. */
export function createKeyValueStore(service: KeyValueService): UsageStore {
  /** Steps of this process on one ledger wait for each other; only other processes are met as conflicts. */
  const turns = new Map<string, Promise<unknown>>();
  let closed = false;

  return {
    async transact({ ledger, counters, now, decide }) {
      return await inTurn(ledger, async () => {
        for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
          const { cells, version } = await load(ledger);
          // An expired counter reads 0, whatever was in it.
          const live = counters.map((counter) => counter.expiresAt > now);
          const amounts = counters.map((counter, i) =>
            live[i] ? (cells.get(nameOf(counter))?.amount ?? 0) : 0,
          );
          // The rule itself. It may run again after a conflict, on what is there then.
          const { result, additions } = decide(amounts);
          const sums = sumsOf(amounts, additions);
          if (additions.every((addition) => addition === 0)) return result;
          counters.forEach((counter, i) => {
            if (live[i]) cells.set(nameOf(counter), { amount: sums[i]!, expiresAt: counter.expiresAt });
          });
          if (await swap(ledger, cells, version)) return result;
        }
        // Not an outage: the engine answers "ask again in a second".
        throw new ContendedError();
      });
    },

    async read(ledger, counters) {
      const { cells } = await load(ledger);
      return counters.map((counter) => cells.get(nameOf(counter))?.amount ?? 0);
    },

    async forget(before) {
      let forgotten = 0;
      for (const ledger of await ask(() => service.keys())) {
        const { cells, version } = await load(ledger);
        const kept = new Map([...cells].filter(([, { expiresAt }]) => expiresAt >= before));
        // A ledger that is written to this very moment is left to the next round.
        if (kept.size < cells.size && (await swap(ledger, kept, version)))
          forgotten += cells.size - kept.size;
      }
      return forgotten;
    },

    async close() {
      closed = true;
    },
  };

  async function load(
    ledger: string,
  ): Promise<{ readonly cells: Map<string, Cell>; readonly version: number }> {
    const found = await ask(() => service.get(ledger));
    return {
      cells: new Map(JSON.parse(found?.value ?? "[]") as [string, Cell][]),
      version: found?.version ?? 0,
    };
  }

  function swap(ledger: string, cells: ReadonlyMap<string, Cell>, version: number): Promise<boolean> {
    return ask(() => service.swap(ledger, JSON.stringify([...cells]), version));
  }

  /** Whatever goes wrong out there becomes the one error that the engine has a policy for. */
  async function ask<Answer>(question: () => Promise<Answer>): Promise<Answer> {
    if (closed) throw new StoreError("The key-value store is closed.", { applied: "no" });
    try {
      return await question();
    } catch (cause) {
      throw new StoreError("The key-value service did not answer.", { applied: "unknown", cause });
    }
  }

  async function inTurn<Result>(ledger: string, work: () => Promise<Result>): Promise<Result> {
    const mine = (turns.get(ledger) ?? Promise.resolve()).then(work);
    const done = mine.then(ignore, ignore);
    turns.set(ledger, done);
    void done.then(() => turns.get(ledger) === done && turns.delete(ledger));
    return await mine;
  }
}

interface Cell {
  readonly amount: number;
  readonly expiresAt: number;
}

/** Ids are data: joined as JSON, no two counters look alike. */
function nameOf({ id, bucket }: Counter): string {
  return JSON.stringify([id, bucket]);
}

/** The amounts after a step. One that fits no counter, or leads past 2^53, is the fault of whoever decided: nothing is written. */
function sumsOf(amounts: readonly number[], additions: readonly unknown[]): readonly number[] {
  if (!Array.isArray(additions) || additions.length !== amounts.length)
    throw new TypeError(`decide must return ${String(amounts.length)} additions.`);
  return amounts.map((amount, i) => {
    const addition: unknown = additions[i];
    const sum = typeof addition === "number" && Number.isSafeInteger(addition) ? amount + addition : NaN;
    if (!Number.isSafeInteger(sum))
      throw new TypeError(`additions[${String(i)}] is not a whole number that fits.`);
    return sum;
  });
}

function ignore(): void {
  // The next step does not care how this one ended; its own caller does.
}

/** The service of this example: a Map. `pause` stands for the network. */
export function mapService(
  data = new Map<string, Versioned>(),
  pause = () => Promise.resolve(),
): KeyValueService {
  const overNetwork = async <Answer>(answer: () => Answer): Promise<Answer> => {
    await pause();
    const answered = answer();
    await pause();
    return answered;
  };
  return {
    get: (key) => overNetwork(() => data.get(key)),
    keys: () => overNetwork(() => [...data.keys()]),
    swap: (key, value, ifVersion) =>
      overNetwork(() => {
        if ((data.get(key)?.version ?? 0) !== ifVersion) return false;
        data.set(key, { value, version: ifVersion + 1 });
        return true;
      }),
  };
}

export async function main(say: (line: string) => void): Promise<void> {
  const service = mapService();
  const pools = createMemoryPoolDirectory();
  const plans = createMemoryPlanOverrides();
  const allocations = [{ apiKeyId: "alice", weight: 100, capValue: 5, capUnit: "requests" as const }];
  await pools.create({ connectionId: "team-seat", name: "Team", allocations }, Date.now());

  // Two gateways on one service.
  const engines = [1, 2].map(() => createQuotaEngine({ store: createKeyValueStore(service), pools, plans }));
  const caller = { apiKeyId: "alice", connectionId: "team-seat", provider: "kimi" };
  const answers = await Promise.all(Array.from({ length: 20 }, (_, i) => engines[i % 2]!.admit(caller)));
  const admitted = answers.filter(({ lease }) => lease !== undefined).length;
  say(`alice is capped at 5; of 20 requests at once, through two gateways, ${String(admitted)} are admitted`);
}

if (isMain(import.meta.url)) await main(console.log);
