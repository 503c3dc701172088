// Several processes share one account through one SQLite file: together they admit exactly what the account grants.
import { fork } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseDimensions } from "@quota/core";
import { createQuotaEngine } from "@quota/engine";
import {
  createSqlitePlanOverrides,
  createSqlitePoolDirectory,
  createSqliteUsageStore,
  openQuotaDatabase,
} from "@quota/sqlite";
import { isMain } from "./isMain.js";

const PROCESSES = 3;
const LIMIT = 300;

/** Makes a pool, starts gateways on the same file, and adds up what they have let pass. */
async function main(say: (line: string) => void): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), "quota-"));
  const file = join(directory, "storage.sqlite");
  try {
    const db = await openQuotaDatabase({ file });
    const limit = parseDimensions([{ unit: "requests", window: "weekly", limit: LIMIT }]);
    if (!limit.ok) throw new Error("the plan is right");
    await createSqlitePlanOverrides(db).set("team-seat", limit.value);
    const allocations = [{ apiKeyId: "agents", weight: 100 }];
    await createSqlitePoolDirectory(db).create(
      { connectionId: "team-seat", name: "Team", allocations },
      Date.now(),
    );
    db.close();

    const admitted = await Promise.all(Array.from({ length: PROCESSES }, () => gatewayProcess(file)));
    const total = admitted.reduce((sum, count) => sum + count, 0);
    say(`${String(PROCESSES)} processes, a limit of ${String(LIMIT)}: ${String(total)} admitted`);
  } finally {
    await rm(directory, { recursive: true });
  }
}

/** Runs this very program as a gateway on the file; how many requests it has let pass. */
async function gatewayProcess(file: string): Promise<number> {
  const child = fork(fileURLToPath(import.meta.url), [file]);
  return await new Promise((resolve, reject) => {
    child.once("message", (admitted) => resolve(Number(admitted)));
    child.once("error", reject);
    child.once("exit", (code) => reject(new Error(`A gateway ended with ${String(code)} and said nothing.`)));
  });
}

/** One gateway: ten clients that go on until they are refused. */
async function gateway(file: string): Promise<void> {
  const db = await openQuotaDatabase({ file });
  const store = createSqliteUsageStore(db);
  const pools = createSqlitePoolDirectory(db);
  const plans = createSqlitePlanOverrides(db);
  const engine = createQuotaEngine({ store, pools, plans, whenStoreFails: "deny" });
  let admitted = 0;
  const client = async (): Promise<void> => {
    for (;;) {
      const { lease } = await engine.admit({
        apiKeyId: "agents",
        connectionId: "team-seat",
        provider: "any",
      });
      if (lease === undefined) return;
      admitted += 1;
      await engine.settle(lease);
    }
  };
  await Promise.all(Array.from({ length: 10 }, client));
  await engine.close();
  await store.close();
  db.close();
  process.send?.(admitted);
}

if (isMain(import.meta.url)) {
  const file = process.argv[2];
  await (file === undefined ? main(console.log) : gateway(file));
}
