// One process: the engine over memory. A hold while a request is in flight, and what it really cost afterwards.
import {
  createMemoryPlanOverrides,
  createMemoryPoolDirectory,
  createMemoryUsageStore,
  createQuotaEngine,
} from "@quota/engine";
import { isMain } from "./isMain.js";

export async function main(say: (line: string) => void): Promise<void> {
  const pools = createMemoryPoolDirectory();
  const engine = createQuotaEngine({
    store: createMemoryUsageStore(),
    pools,
    plans: createMemoryPlanOverrides(), // none stored: kimi's plan, 1500 requests an hour, is in the catalog
  });
  const allocations = [
    { apiKeyId: "alice", weight: 70 },
    { apiKeyId: "bob", weight: 30 },
  ];
  const pool = await pools.create({ connectionId: "team-seat", name: "Team", allocations }, Date.now());

  const caller = { apiKeyId: "bob", connectionId: "team-seat", provider: "kimi" };
  const { decision, lease } = await engine.admit(caller);
  if (!lease) throw new Error(decision.status); // the decision has every number that a 429 needs
  await engine.settle(lease, { requests: 1 }); // after the answer; until then its estimate is held
  say(decision.status);

  // Bob goes on alone: he may borrow until half of the pool is used, then he is held to his share.
  let admitted = 1;
  for (;;) {
    const next = await engine.admit(caller);
    if (next.lease === undefined) {
      const reason = next.decision.status === "refused" ? next.decision.reason : next.decision.status;
      say(`bob is refused after ${String(admitted)} requests: ${reason}`);
      break;
    }
    await engine.settle(next.lease);
    admitted += 1;
  }
  const other = await engine.admit({ ...caller, apiKeyId: "alice" });
  say(`alice is ${other.decision.status}`);
  if (other.lease) await engine.release(other.lease); // it cost nothing after all

  const usage = await engine.usage(pool.id);
  for (const { apiKeyId, consumed, fairShare } of usage?.dimensions[0]?.perKey ?? [])
    say(`${apiKeyId} has used ${String(consumed)} of ${String(fairShare)}`);
  await engine.close();
}

if (isMain(import.meta.url)) await main(console.log);
