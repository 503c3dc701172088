import { join } from "node:path";
import { createMemorySpendBooks, createMemorySpendQueue } from "@quota/engine";
import Database from "better-sqlite3";
import { expect, onTestFinished, test } from "vitest";
import { startSpendRetention } from "../server/spend/startSpendRetention.js";
import { startTestGateway } from "./startTestGateway.js";
import { temporaryDirectory } from "./temporaryDirectory.js";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const START = Date.UTC(2026, 0, 15);

const alice = { kind: "key", id: "alice" } as const;

test("details of spend go after their days, ids that were handed over after one, and what adds up stays", async () => {
  let now = START;
  const clock = { now: () => now };
  const { ledger } = createMemorySpendBooks();
  const queue = createMemorySpendQueue();
  const event = {
    requestId: "r",
    subjects: [alice],
    cost: 7,
    startedAt: START,
    endedAt: START,
    outcome: "answered",
  } as const;
  await queue.enqueueSpend(event, START);
  const { items } = await queue.peekSpend(1);
  await ledger.commit([event], START);
  await queue.ackSpend(items[0]!.position, 1);

  const retention = startSpendRetention({ ledger, queue, detailDays: 90, clock });
  onTestFinished(() => retention.stop());
  now = START + DAY;
  expect(await retention.sweep()).toEqual({ details: 0, ids: 0 });
  now += 1;
  expect(await retention.sweep()).toEqual({ details: 0, ids: 1 });
  now = START + 90 * DAY;
  expect(await retention.sweep()).toEqual({ details: 0, ids: 0 });
  now += 1;
  expect(await retention.sweep()).toEqual({ details: 1, ids: 0 });
  expect(await ledger.total(alice)).toBe(7n);
  expect(await ledger.commit([event], now)).toEqual({ added: 0, known: 1 });
});

test("a ledger that fails keeps no queue from forgetting", async () => {
  const warnings: unknown[] = [];
  const retention = startSpendRetention({
    ledger: { purge: () => Promise.reject(new Error("away")) },
    queue: { forgetAcknowledged: async () => 3 },
    detailDays: 90,
    clock: { now: () => START },
    logger: { warn: (fields) => void warnings.push(fields) },
  });
  onTestFinished(() => retention.stop());
  expect(await retention.sweep()).toEqual({ details: "failed", ids: 3 });
  expect(warnings.length).toBeGreaterThan(0);
});

test("a gateway drops what is too old when it starts, and still tells what was spent", async () => {
  const dataDir = temporaryDirectory();
  let now = START;
  const begin = () => startTestGateway({ dataDir, now: () => now, settings: { spendRetentionDays: 30 } });
  const before = await begin();
  await (await before.ask("alice")).text();
  await before.quiet();
  await before.stop(0);
  const file = new Database(join(dataDir, "storage.sqlite"), { readonly: true });
  onTestFinished(() => void file.close());
  const rows = (table: string) => () => file.prepare(`SELECT count(*) FROM ${table}`).pluck().get();
  expect([rows("spend_events")(), rows("spend_queue_ids")()]).toEqual([1, 1]);

  now += 31 * DAY;
  const after = await begin();
  await expect.poll(rows("spend_events")).toBe(0);
  await expect.poll(rows("spend_queue_ids")).toBe(0);
  const from = new Date(START - DAY).toISOString();
  const spend = await (await after.admin("GET", `/api/spend?from=${from}`)).json();
  expect(spend).toMatchObject({ total: { requests: 1 } });
});
