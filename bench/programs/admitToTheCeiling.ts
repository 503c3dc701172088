// One of several processes on one file: admits and settles until it is refused, then says what it saw.
import { createQuotaEngine } from "@quota/engine";
import {
  createSqlitePlanOverrides,
  createSqlitePoolDirectory,
  createSqliteUsageStore,
  openQuotaDatabase,
} from "@quota/sqlite";
import { admitUntilRefused } from "../admitUntilRefused.js";

const [file, keys] = process.argv.slice(2);
const db = await openQuotaDatabase({ file: file! });
const store = createSqliteUsageStore(db);
const pools = createSqlitePoolDirectory(db);
const plans = createSqlitePlanOverrides(db);
const engine = createQuotaEngine({ store, pools, plans, whenStoreFails: "deny" });

process.send!("ready");
process.once("message", () => void run());

async function run(): Promise<void> {
  const report = await admitUntilRefused(engine, { keys: Number(keys), width: 64 });
  await store.close();
  db.close();
  // A long report is still on its way when `send` returns.
  process.send!(report, () => process.disconnect());
}
