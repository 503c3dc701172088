import { createMemoryPlanOverrides, createMemoryPoolDirectory, createQuotaEngine } from "@quota/engine";
import { parseDimensions } from "@quota/core";
import { openRedisStore } from "../../src/index.js";

/**
 * One process of several that share a pool: `node gateway.js <url> <limit> <at once>`. Admits and settles until it has been refused, then
 * says what it saw, in a line of JSON.
 */
const [url = "", limit = "", atOnce = ""] = process.argv.slice(2);
const { store, clock, close } = await openRedisStore(url, { timeoutMs: 10_000 });
const plans = createMemoryPlanOverrides();
const dimensions = parseDimensions([{ unit: "requests", window: "monthly", limit: Number(limit) }]);
if (dimensions.ok) await plans.set("c", dimensions.value);
const pools = createMemoryPoolDirectory();
const allocations = ["a", "b", "c"].map((apiKeyId) => ({ apiKeyId, weight: 33, policy: "burst" as const }));
// The same incarnation in every process: they share one ledger.
const pool = await pools.create({ id: "p", connectionId: "c", name: "Team", allocations }, 0);
const shared = { ...pools, ofConnection: () => Promise.resolve({ ...pool, incarnation: "shared" }) };
const engine = createQuotaEngine({ store, clock, plans, pools: shared, whenStoreFails: "deny" });

const seen = { granted: 0, refused: 0, other: 0 };
await Promise.all(
  Array.from({ length: Number(atOnce) }, async (_, i) => {
    for (let over = false; !over;) {
      const apiKeyId = ["a", "b", "c"][i % 3]!;
      const { decision, lease } = await engine.admit({ apiKeyId, connectionId: "c", provider: "any" });
      if (decision.status === "allowed" && lease !== undefined) {
        seen.granted += 1;
        await engine.settle(lease);
      } else if (decision.status === "refused" && decision.reason === "contended") continue;
      else {
        over = true;
        seen[decision.status === "refused" ? "refused" : "other"] += 1;
      }
    }
  }),
);
await engine.close();
await close();
console.log(JSON.stringify({ ...seen, remembered: engine.status().remembered }));
