import { usdText } from "@quota/core";
import type { SpendAsked, SpendGroup, SpendLedger, SpendQueue } from "@quota/engine";
import { hotGroups, type HotGroups } from "./hotGroups.js";

/** What was spent, in groups: what the ledger has, and beside it what still waits in the queue and is not in the first. US dollars as exact decimal text. */
export interface SpendJson {
  readonly groupBy: SpendAsked["groupBy"];
  readonly from: string;
  readonly to: string;
  readonly generatedAt: string;
  readonly total: SpendSumJson;
  /** The largest first; days in the order of time. */
  readonly groups: readonly SpendGroupJson[];
}

export interface SpendSumJson {
  /** In the ledger. */
  readonly costUsd: string;
  /** In the queue; null where the queue does not tell. */
  readonly hotUsd: string | null;
  /** In the ledger. */
  readonly requests: number;
  /** Of them, those whose model has no price: their cost is not known, and not in `costUsd`. */
  readonly unpriced: number;
}

export interface SpendGroupJson extends SpendSumJson {
  /** Null: of requests that have none. */
  readonly group: string | null;
  readonly tokens: SpendGroup["tokens"];
}

/** The ledger is the truth: @throws {StoreError} where it cannot be read. A queue that cannot be read leaves what is hot unknown. */
export async function readSpend(
  {
    ledger,
    queue,
  }: {
    readonly ledger: Pick<SpendLedger, "spend">;
    readonly queue: Pick<SpendQueue, "peekSpend" | "hotSpend">;
  },
  asked: SpendAsked,
  now: number,
): Promise<SpendJson> {
  // In the direction in which money moves: what is carried over meanwhile is told twice for a moment, and never not at all.
  const hot = await hotGroups(queue, asked).catch(untold);
  const hotSums = new Map<string | undefined, bigint | undefined>();
  for (const group of hot.groups) hotSums.set(group, await hot.of(group).catch(() => undefined));
  const written = await ledger.spend(asked);
  const known = new Set(written.map(({ group }) => group));
  const waiting = hot.groups.filter((group) => !known.has(group)).map(nothingOf);
  const all = [...written, ...waiting];
  if (asked.groupBy === "day") all.sort((a, b) => ((a.group ?? "") < (b.group ?? "") ? -1 : 1));
  const hots = await Promise.all(
    all.map(async ({ group }) =>
      hotSums.has(group) ? hotSums.get(group) : hot.of(group).catch(() => undefined),
    ),
  );
  return {
    groupBy: asked.groupBy,
    from: new Date(asked.from).toISOString(),
    to: new Date(asked.to).toISOString(),
    generatedAt: new Date(now).toISOString(),
    total: {
      costUsd: usdText(sumOf(written.map(({ cost }) => cost))),
      hotUsd: hots.includes(undefined) || hot === UNTOLD ? null : usdText(sumOf(hots as readonly bigint[])),
      requests: written.reduce((sum, { requests }) => sum + requests, 0),
      unpriced: written.reduce((sum, { unpriced }) => sum + unpriced, 0),
    },
    groups: all.map(({ group = null, cost, requests, unpriced, tokens }, i) => ({
      group,
      costUsd: usdText(cost),
      hotUsd: hots[i] === undefined ? null : usdText(hots[i]),
      requests,
      unpriced,
      tokens,
    })),
  };
}

const UNTOLD: HotGroups = { groups: [], of: async () => undefined };

function untold(): HotGroups {
  return UNTOLD;
}

function nothingOf(group: string | undefined): SpendGroup {
  return { group, cost: 0n, requests: 0, unpriced: 0, tokens: { input: 0, cachedInput: 0, output: 0 } };
}

function sumOf(amounts: readonly bigint[]): bigint {
  return amounts.reduce((sum, amount) => sum + amount, 0n);
}
