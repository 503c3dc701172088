// One of several processes on one file: admits and settles until it is refused, then says what it saw.
import { createQuotaEngine } from "@quota/engine";
import {
  createSqlitePlanOverrides,
  createSqlitePoolDirectory,
  createSqliteUsageStore,
  openQuotaDatabase,
} from "@quota/sqlite";
import { atOnce } from "../clocks.js";
import { keyId, requestBy } from "../team.js";

/** What one process saw. */
export interface Report {
  readonly granted: number;
  readonly refused: number;
  readonly errors: number;
  /** Milliseconds from asking to the answer. */
  readonly waits: readonly number[];
}

const [file, keys] = process.argv.slice(2);
const db = await openQuotaDatabase({ file: file! });
const store = createSqliteUsageStore(db);
const pools = createSqlitePoolDirectory(db);
const plans = createSqlitePlanOverrides(db);
const engine = createQuotaEngine({ store, pools, plans, whenStoreFails: "deny" });

process.send!("ready");
process.once("message", () => void run());

async function run(): Promise<void> {
  let granted = 0;
  let refused = 0;
  let errors = 0;
  const waits: number[] = [];
  await atOnce(64, 64, async (worker) => {
    for (let turn = worker; refused === 0 && errors === 0; turn += 64) {
      const asked = performance.now();
      const { decision, lease } = await engine.admit({
        ...requestBy(keyId(turn % Number(keys))),
        estimate: { requests: 1, tokens: 0 },
      });
      waits.push(performance.now() - asked);
      if (lease !== undefined && decision.status === "allowed") {
        granted += 1;
        await engine.settle(lease, { requests: 1, tokens: 0 });
      } else if (decision.status === "refused") refused += 1;
      else errors += 1;
    }
  });
  errors += engine.status().remembered;
  await engine.close();
  await store.close();
  db.close();
  // A long report is still on its way when `send` returns.
  process.send!({ granted, refused, errors, waits } satisfies Report, () => process.disconnect());
}
