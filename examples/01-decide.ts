// The decision alone: a pure function. No store, no clock, nothing that waits.
import {
  decideFairShare,
  governPool,
  parseDimensions,
  parsePoolTerms,
  standingOf,
  type Plan,
  type PoolTerms,
} from "@quota/core";
import { isMain } from "./isMain.js";

export function main(say: (line: string) => void): void {
  // What people write is parsed once: every fault at once, or values that can be trusted.
  const pool = parsed(
    parsePoolTerms({
      connectionId: "team-seat",
      name: "Team",
      allocations: [
        { apiKeyId: "alice", weight: 50 },
        { apiKeyId: "bob", weight: 30 },
        { apiKeyId: "carol", weight: 20, policy: "burst" },
      ],
    }),
  );
  const dimensions = parsed(parseDimensions([{ unit: "requests", window: "hourly", limit: 100 }]));
  const plan = { connectionId: "team-seat", provider: "kimi", source: "manual", dimensions } as const;
  const now = Date.UTC(2026, 0, 5, 12);

  for (const [apiKeyId, used, total] of [
    ["bob", 40, 45], // past his 30, but less than half of the pool is used
    ["bob", 40, 60], // the pool is strict now
    ["alice", 20, 60], // she has not used up her 50
    ["carol", 35, 60], // past her 20, and allowed to
    ["carol", 35, 100], // nobody passes the ceiling
  ] as const)
    say(
      `${apiKeyId} used ${String(used)}, everybody ${String(total)}: ${ask({ pool, plan, apiKeyId, used, total }, now)}`,
    );
}

function ask(
  asked: {
    readonly pool: PoolTerms;
    readonly plan: Plan;
    readonly apiKeyId: string;
    readonly used: number;
    readonly total: number;
  },
  now: number,
): string {
  const governed = governPool(asked);
  const standing = standingOf(governed, asked.apiKeyId);
  if (standing === "not-allocated") return "not allocated";
  const decision = decideFairShare(
    {
      policy: standing.policy,
      dimensions: governed.dimensions.map((dimension, i) => ({
        dimension,
        used: asked.used,
        total: asked.total,
        cost: 1,
        share: standing.shares[i],
        cap: standing.caps[i],
      })),
    },
    now,
  );
  const [numbers] = decision.dimensions;
  const why = decision.status === "refused" ? ` (${decision.reason})` : "";
  return `${decision.status}${why}, ${numbers?.mode ?? "?"}, ${String(numbers?.remaining)} of ${String(numbers?.share)} left`;
}

/** Stops at what is wrong with an input; a server would answer 400 with the list. */
function parsed<Value>(
  result:
    | { readonly ok: true; readonly value: Value }
    | { readonly ok: false; readonly faults: readonly { readonly message: string }[] },
): Value {
  if (result.ok) return result.value;
  throw new Error(result.faults.map(({ message }) => message).join("\n"));
}

if (isMain(import.meta.url)) main(console.log);
