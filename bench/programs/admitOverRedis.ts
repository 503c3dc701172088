// One of several gateways on one Redis: admits and settles until it is refused, then says what it saw.
import { createQuotaEngine } from "@quota/engine";
import { openRedisStore } from "@quota/redis";
import { atOnce } from "../clocks.js";
import { keyId, requestBy, sharedPool } from "../team.js";

/** What one process saw. */
export interface Report {
  readonly granted: number;
  readonly refused: number;
  readonly failed: number;
  /** Milliseconds from asking to the answer. */
  readonly waits: readonly number[];
}

const [url, limit, inFlight, keys] = process.argv.slice(2);
const { store, clock, close } = await openRedisStore(url!);
// Until the code is compiled: together with the others, since neighbours are met by other code than nobody is.
await run("warm-up", 60_000);

process.send!("ready");
process.once("message", () => void measured());

async function measured(): Promise<void> {
  const report = await run("shared", Number(limit));
  await close();
  // A long report is still on its way when `send` returns.
  process.send!(report, () => process.disconnect());
}

async function run(pool: string, ceiling: number): Promise<Report> {
  const { pools, plans } = await sharedPool({
    keys: Number(keys),
    limit: ceiling,
    incarnation: pool,
  });
  const engine = createQuotaEngine({ store, pools, plans, clock, whenStoreFails: "deny" });
  let granted = 0;
  let refused = 0;
  let failed = 0;
  const waits: number[] = [];
  const width = Number(inFlight);
  await atOnce(width, width, async (worker) => {
    for (let turn = worker; refused === 0 && failed === 0; turn += width) {
      const asked = performance.now();
      const { decision, lease } = await engine.admit({
        ...requestBy(keyId(turn % Number(keys))),
        estimate: { requests: 1, tokens: 0 },
      });
      waits.push(performance.now() - asked);
      if (lease !== undefined && decision.status === "allowed") {
        granted += 1;
        await engine.settle(lease, { requests: 1, tokens: 0 });
      } else if (decision.status === "refused" && decision.reason !== "contended") refused += 1;
      else failed += 1;
    }
  });
  failed += engine.status().remembered;
  await engine.close();
  return { granted, refused, failed, waits };
}
