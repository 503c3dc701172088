import { join } from "node:path";
import { parseBudget, type Budget, type SpendEvent } from "@quota/core";
import { createSqliteSpendBooks, createSqliteSpendQueue, openQuotaDatabase } from "@quota/sqlite";
import { expect, test } from "vitest";
import { startTestGateway } from "../test/startTestGateway.js";
import { temporaryDirectory } from "../test/temporaryDirectory.js";

const NOON = Date.UTC(2026, 0, 15, 12);
const alice = { kind: "key", id: "alice" } as const;

function eventOf(requestId: string): SpendEvent {
  return {
    requestId,
    subjects: [alice],
    cost: 1_000_000_000,
    startedAt: NOON,
    endedAt: NOON,
    outcome: "answered",
  };
}

/** A directory in whose queue four events wait, two of them spoiled, each pending against alice's budget. */
async function spoiled(): Promise<string> {
  const dataDir = temporaryDirectory();
  // The gateway makes its tables, and alice.
  await (await startTestGateway({ dataDir })).stop(0);
  const db = await openQuotaDatabase({ file: join(dataDir, "storage.sqlite") });
  const queue = createSqliteSpendQueue(db);
  const { ledger, budgets } = createSqliteSpendBooks(db);
  const budget = parseBudget({ limitUsd: 10, period: "day" }, NOON) as { readonly value: Budget };
  await budgets.set(alice, budget.value, NOON);
  for (const requestId of ["r1", "r2", "r3", "r4"]) {
    const asked = { requestId, subjects: [alice], startedAt: NOON };
    await budgets.hold({ ...asked, estimate: 1, leaseEnd: NOON + 1 }, NOON);
    await budgets.answer({ ...asked, cost: 1_000_000_000 }, NOON);
    await queue.enqueueSpend(eventOf(requestId), NOON);
  }
  const spoil = db.connection.prepare(
    "UPDATE spend_queue SET payload = ? WHERE position = (SELECT position FROM spend_queue_ids WHERE request_id = ?)",
  );
  expect(spoil.run("{", "r1").changes).toBe(1);
  expect(spoil.run(JSON.stringify(eventOf("r3, once more")), "r3").changes).toBe(1);
  for (const each of [queue, ledger, budgets]) await each.close();
  db.close();
  return dataDir;
}

test("a damaged event stops the flusher, which says so, and goes on by itself once it is set aside", async () => {
  const gateway = await startTestGateway({ dataDir: await spoiled() });
  const read = async (path: string) =>
    (await (await gateway.admin("GET", path)).json()) as Record<string, unknown>;
  const damaged = async () => {
    const { flusher } = (await read("/api/spend/queue")) as {
      flusher: { state: string; stoppedAt: { position: string; requestId?: string } | null };
    };
    return flusher;
  };
  const aside = (position: string) =>
    gateway.admin("POST", "/api/spend/queue", { action: "keep-aside", position });
  const letter = (id: string, action: string) =>
    gateway.admin("POST", "/api/spend/dead-letters", { id, action });
  const standing = async () => (await read("/api/keys/alice"))["budget"];
  const total = async () => (await read("/api/spend"))["total"];

  await expect.poll(damaged).toMatchObject({ state: "damaged", stoppedAt: { requestId: "r1" } });
  const health = await fetch(`${gateway.url}/healthz`);
  expect([health.status, await health.json()]).toMatchObject([
    200,
    { status: "degraded", reasons: [expect.stringContaining("head is damaged")] },
  ]);
  const metrics = await (await fetch(`${gateway.url}/metrics`)).text();
  expect(metrics).toContain('quota_spend_flusher_info{state="damaged"} 1');
  expect(metrics).toContain("quota_spend_queue_waiting 4");

  const head = (await damaged()).stoppedAt!.position;
  expect((await aside(`${head}0`)).status).toBe(409);
  expect((await aside(head)).status).toBe(200);
  // As far as the next one.
  await expect.poll(damaged).toMatchObject({ state: "damaged", stoppedAt: { requestId: "r3" } });
  expect(await total()).toMatchObject({ costUsd: "1", requests: 1 });
  expect((await aside((await damaged()).stoppedAt!.position)).status).toBe(200);
  await expect.poll(damaged).toMatchObject({ state: "idle", stoppedAt: null });
  expect(await total()).toMatchObject({ costUsd: "2", hotUsd: "0", requests: 2 });
  expect(await (await fetch(`${gateway.url}/healthz`)).json()).toMatchObject({ status: "ok" });

  // Until somebody has decided, their money counts.
  expect(await standing()).toMatchObject({ spentUsd: "2", pendingUsd: "2" });
  const letters = (await (await gateway.admin("GET", "/api/spend/dead-letters")).json()) as readonly {
    readonly id: string;
    readonly requestId: string;
    readonly state: string;
  }[];
  expect(letters.map(({ requestId, state }) => [requestId, state]).sort()).toEqual([
    ["r1", "open"],
    ["r3", "open"],
  ]);
  const idOf = (asked: string) => letters.find(({ requestId }) => requestId === asked)!.id;
  expect((await letter(idOf("r1"), "retry")).status).toBe(422);
  expect(await (await letter(idOf("r1"), "keep-aside")).json()).toMatchObject({ state: "kept-aside" });
  expect(await standing()).toMatchObject({ spentUsd: "2", pendingUsd: "1" });
  expect((await letter(idOf("r1"), "keep-aside")).status).toBe(409);
  expect((await letter("no such letter", "retry")).status).toBe(404);
  expect(await (await letter(idOf("r3"), "retry")).json()).toMatchObject({ state: "retried" });
  expect(await total()).toMatchObject({ costUsd: "3", requests: 3 });
  expect(await standing()).toMatchObject({ spentUsd: "3", pendingUsd: "0" });
});
