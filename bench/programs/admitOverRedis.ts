// One of several gateways on one Redis: admits and settles until it is refused, then says what it saw.
import { createQuotaEngine } from "@quota/engine";
import { openRedisStore } from "@quota/redis";
import { admitUntilRefused, type Report } from "../admitUntilRefused.js";
import { sharedPool } from "../team.js";

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
  return admitUntilRefused(engine, { keys: Number(keys), width: Number(inFlight) });
}
