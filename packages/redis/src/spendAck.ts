import { digestOf, type SpendKeys } from "./spendKeys.js";
import type { SpendEntry } from "./spendEntry.js";

/** What `ackSpend.lua` is given after its token: everything that the entries had added, added up. */
export function spendAck(
  entries: readonly [SpendEntry, ...SpendEntry[]],
  { keys, rememberMs }: { readonly keys: SpendKeys; readonly rememberMs: number },
): { readonly keys: readonly string[]; readonly args: readonly string[] } {
  const shards = new Map<string, { readonly keys: readonly string[]; readonly digests: string[] }>();
  const hot = new Map<string, Map<string, bigint>>();
  for (const { requestId, cost, minute, subjects } of entries) {
    if (requestId !== "") {
      const digest = digestOf(requestId);
      const shard = keys.shardOf(digest);
      const known = shards.get(shard[0]);
      if (known === undefined) shards.set(shard[0], { keys: shard, digests: [digest] });
      else known.digests.push(digest);
    }
    const amount = BigInt(cost);
    if (amount === 0n) continue;
    for (const subject of subjects) {
      const fields = hot.get(subject) ?? new Map<string, bigint>();
      fields.set(minute, (fields.get(minute) ?? 0n) + amount);
      hot.set(subject, fields);
    }
  }
  const first = entries[0];
  const last = entries.at(-1)!;
  return {
    keys: [
      keys.stream,
      keys.waiting,
      ...[...shards.values()].flatMap((shard) => shard.keys),
      ...[...hot.keys()].map(keys.hotOf),
    ],
    args: [
      ...[first.at, first.requestId, last.at, last.requestId, after(last.at)],
      ...[String(rememberMs), String(shards.size)],
      ...[...shards.values()].flatMap(({ digests }) => [String(digests.length), ...digests]),
      ...[...hot.values()].flatMap((fields) => [
        String(2 * fields.size),
        ...[...fields].flatMap(([field, amount]) => [field, String(amount)]),
      ]),
    ],
  };
}

/** The next place in a stream: places are `<ms>-<number>`. */
function after(at: string): string {
  const dash = at.indexOf("-");
  return `${at.slice(0, dash)}-${String(BigInt(at.slice(dash + 1)) + 1n)}`;
}
