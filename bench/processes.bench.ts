import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import {
  createSqlitePlanOverrides,
  createSqlitePoolDirectory,
  createSqliteUsageStore,
  openQuotaDatabase,
} from "@quota/sqlite";
import { createQuotaEngine } from "@quota/engine";
import { percentile } from "./inTurns.js";
import type { Report } from "./admitUntilRefused.js";
import { saveResult } from "./saveResult.js";
import { scratchFolder } from "./scratchFolder.js";
import { CONNECTION, keyId, parsed } from "./team.js";

const PROCESSES = 4;
const CEILING = 10_000;
const KEYS = 100;
const file = join(scratchFolder(), "shared.sqlite");

const db = await openQuotaDatabase({ file });
const store = createSqliteUsageStore(db);
const pools = createSqlitePoolDirectory(db);
const plans = createSqlitePlanOverrides(db);
const pool = await pools.create(
  {
    connectionId: CONNECTION,
    name: "Team",
    // Shares would bind before the ceiling does; it is the ceiling that is looked at.
    allocations: Array.from({ length: KEYS }, (_, i) => ({ apiKeyId: keyId(i), weight: 1, policy: "burst" })),
  },
  Date.now(),
);
await plans.set(
  CONNECTION,
  parsed([
    { unit: "requests", window: "monthly", limit: CEILING },
    { unit: "tokens", window: "monthly", limit: 1_000_000_000 },
  ]),
);

const program = join(import.meta.dirname, "programs", "admitToTheCeiling.ts");
const children = Array.from({ length: PROCESSES }, () => fork(program, [file, String(KEYS)]));
for (const child of children) await once(child, "message");
const began = performance.now();
const reports = await Promise.all(children.map(reportOf));
const seconds = (performance.now() - began) / 1000;

const engine = createQuotaEngine({ store, pools, plans });
const counted = (await engine.usage(pool.id))?.dimensions[0];
await engine.close();
await store.close();
db.close();

const sum = (of: (report: Report) => number): number => reports.reduce((total, each) => total + of(each), 0);
const granted = sum((report) => report.granted);
const waits = reports.flatMap((report) => report.waits);
const parts = reports.map((report) => `${((report.granted / granted) * 100).toFixed(1)} %`);
const guarantee =
  "2 dimensions, key and pool, holds included, atomic across processes, settled, committed before the answer";
await saveResult(
  "processes",
  [
    {
      work: `${PROCESSES} processes × 64 in flight, one SQLite file, at a ceiling`,
      unit: "granted",
      ours: { name: "admit + settle", value: granted, guarantee },
      target: { of: "value", atLeast: CEILING, atMost: CEILING },
    },
    {
      work: "… the same, in the store's own count",
      unit: "granted",
      ours: {
        name: "usage",
        value: counted === undefined ? NaN : counted.consumedTotal + counted.held,
        guarantee: "read from the file when all had ended",
      },
      target: { of: "value", atLeast: CEILING, atMost: CEILING },
    },
    {
      work: "… errors",
      unit: "granted",
      ours: { name: "errors", value: sum((report) => report.failed), guarantee },
      target: { of: "value", atLeast: 0, atMost: 0 },
    },
    {
      work: "… p99 of an admission",
      unit: "ms",
      ours: { name: "admit", value: percentile(waits, 0.99), guarantee },
    },
  ],
  [
    `${Math.round(granted / seconds)} admitted and settled a second, all together; p50 ${percentile(waits, 0.5).toFixed(1)} ms, longest ${Math.max(...waits).toFixed(0)} ms`,
    `each process's part: ${parts.join(", ")}`,
  ],
);

async function reportOf(child: ChildProcess): Promise<Report> {
  child.send("go");
  const [report] = (await once(child, "message")) as [Report];
  return report;
}
