import {
  describeAffinity,
  describeBudgetLedger,
  describeLiveState,
  describeSpendLedger,
  describeSpendQueue,
} from "@quota/conformance";
import {
  createSqliteAffinity,
  createSqliteLiveState,
  createSqliteSpendBooks,
  createSqliteSpendQueue,
} from "../src/index.js";
import { scratch } from "./scratch.js";

describeSpendQueue("createSqliteSpendQueue", async () => {
  const place = scratch();
  const db = await place.open();
  const spoil = db.connection.prepare(
    "UPDATE spend_queue SET payload = ? WHERE position = (SELECT position FROM spend_queue ORDER BY position LIMIT 1 OFFSET ?)",
  );
  return {
    queue: createSqliteSpendQueue(db),
    another: async () => createSqliteSpendQueue(await place.open()),
    spoil: async (index, raw) => void spoil.run(raw, index),
    dispose: async () => place.remove(),
  };
});

const openBooks = async () => {
  const place = scratch();
  return {
    ...createSqliteSpendBooks(await place.open()),
    another: async () => createSqliteSpendBooks(await place.open()),
    dispose: async () => place.remove(),
  };
};

describeSpendLedger("createSqliteSpendBooks", openBooks);
describeBudgetLedger("createSqliteSpendBooks", openBooks);

describeLiveState("createSqliteLiveState", async () => {
  const place = scratch();
  return {
    live: createSqliteLiveState(await place.open()),
    another: async () => createSqliteLiveState(await place.open()),
    dispose: async () => place.remove(),
  };
});

describeAffinity("createSqliteAffinity", async () => {
  const place = scratch();
  return {
    affinity: createSqliteAffinity(await place.open()),
    another: async () => createSqliteAffinity(await place.open()),
    dispose: async () => place.remove(),
  };
});
