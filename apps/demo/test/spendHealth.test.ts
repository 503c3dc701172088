import { StoreError, type SpendFlusherStatus } from "@quota/engine";
import { expect, test } from "vitest";
import { createSpendHealth } from "../server/spend/createSpendHealth.js";

test("why the ledger cannot be written is told without where it is", async () => {
  const cause = new StoreError("The database /srv/quota/storage.sqlite failed: database or disk is full.", {
    applied: "no",
    cause: new Error("database or disk is full"),
  });
  const status: SpendFlusherStatus = {
    state: "failing",
    stoppedAt: undefined,
    failure: { at: 0, cause, inARow: 1 },
    added: 0,
    known: 0,
    drainedAt: undefined,
  };
  const health = createSpendHealth({
    queue: { sharedBy: "one-machine", backlog: async () => ({ waiting: 1, oldestAt: 0 }) },
    flusher: { status: () => status },
    intake: {
      status: () => ({
        taken: { answered: 0, "client-left": 0, failed: 0 },
        unpriced: 0,
        failures: 0,
        spared: 0,
        kept: 0,
      }),
    },
  });
  expect((await health.read()).flusher.failure).toMatchObject({ why: "database or disk is full" });
});
