import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createQuotaEngine } from "@quota/engine";
import { startFaultProxy, startRedisServer } from "@quota/local-redis";
import { openRedisStore } from "@quota/redis";
import { percentile } from "./inTurns.js";
import type { Measurement } from "./measurement.js";
import type { Report } from "./admitUntilRefused.js";
import { saveResult } from "./saveResult.js";
import { sharedPool } from "./team.js";

const PROCESSES = 4;
const IN_FLIGHT = 32;
const CEILING = 20_000;
const KEYS = 8;

const plain = await run(0);
const late = await run(1);
await saveResult("redisProcesses", [...plain.rows, ...late.rows], [...plain.notes, ...late.notes]);

/** Lets the processes loose on a server of its own, whose replies come so many milliseconds late. */
async function run(delayMs: number): Promise<{ readonly rows: Measurement[]; readonly notes: string[] }> {
  const server = await startRedisServer();
  const proxy = await startFaultProxy(server.port);
  proxy.delayMs = delayMs;
  const url = delayMs === 0 ? server.url : proxy.url;
  const program = join(import.meta.dirname, "programs", "admitOverRedis.ts");
  const args = [url, CEILING, IN_FLIGHT, KEYS].map(String);
  const children = Array.from({ length: PROCESSES }, () => fork(program, args));
  for (const child of children) await once(child, "message");
  const began = performance.now();
  const reports = await Promise.all(children.map(reportOf));
  const seconds = (performance.now() - began) / 1000;

  const { store, redis, close } = await openRedisStore(server.url);
  const stats = String(await redis.call("info", "commandstats"));
  const [, scripts = "0", microseconds = "0"] = /cmdstat_evalsha:calls=(\d+),usec=(\d+)/.exec(stats) ?? [];
  const engine = createQuotaEngine({ store, ...(await sharedPool({ keys: KEYS, limit: CEILING })) });
  const counted = (await engine.usage("any"))?.dimensions[0];
  await engine.close();
  await close();
  await proxy.stop();
  await server.stop();

  const sum = (of: (report: Report) => number): number =>
    reports.reduce((total, each) => total + of(each), 0);
  const granted = sum((report) => report.granted);
  const waits = reports.flatMap((report) => report.waits);
  const parts = reports.map((report) => report.granted / granted);
  const how = delayMs === 0 ? "" : `, replies ${String(delayMs)} ms late`;
  const guarantee = "2 dimensions, key and pool, holds included, atomic across processes, settled";
  const row = (
    work: string,
    unit: Measurement["unit"],
    { value, target }: { readonly value: number; readonly target: Measurement["target"] & object },
  ): Measurement => ({ work, unit, ours: { name: "admit", value, guarantee }, target });
  return {
    rows: [
      row(`${PROCESSES} processes × ${IN_FLIGHT} in flight, one hot pool on Redis${how}`, "granted", {
        value: granted,
        target: { of: "value", atLeast: CEILING, atMost: CEILING },
      }),
      row("… the same, in the store's own count", "granted", {
        value: counted === undefined ? NaN : counted.consumedTotal + counted.held,
        target: { of: "value", atLeast: CEILING, atMost: CEILING },
      }),
      row("… failed", "granted", {
        value: sum((report) => report.failed),
        target: { of: "value", atLeast: 0, atMost: 0 },
      }),
      row("… p99 of an admission", "ms", {
        value: percentile(waits, 0.99),
        target: { of: "value", atMost: delayMs === 0 ? 10 : 25 },
      }),
      row("… the least part of the commits, of a fair one (per cent)", "granted", {
        value: Math.round(Math.min(...parts) * PROCESSES * 100),
        target: { of: "value", atLeast: 50 },
      }),
    ],
    notes: [
      `${how || ", plain"}: ${Math.round(granted / seconds)} admitted and settled a second, all together; p50 ${percentile(waits, 0.5).toFixed(1)} ms; ${scripts} scripts of ${Math.round(Number(microseconds) / Number(scripts))} µs; parts ${parts.map((part) => `${(part * 100).toFixed(1)} %`).join(", ")}`.slice(
        2,
      ),
    ],
  };
}

async function reportOf(child: ChildProcess): Promise<Report> {
  child.send("go");
  const [report] = (await once(child, "message")) as [Report];
  return report;
}
