import { describeBudgetLedger, describeSpendLedger } from "@quota/conformance";
import { describeWithPostgres } from "@quota/local-postgres/vitest";
import { afterAll, beforeAll } from "vitest";
import { createPostgresSpendBooks, type PostgresDatabase, type PostgresSpendBooks } from "../src/index.js";
import { scratch, type Scratch } from "./scratch.js";

describeWithPostgres("PostgreSQL", (server) => {
  // To make a database takes longer than most of these tests.
  let place: Scratch;
  let handles: readonly PostgresDatabase[];
  beforeAll(async () => {
    place = await scratch(server);
    handles = await Promise.all([place.open(), place.open()]);
  });
  afterAll(() => place.remove());

  const books = async () => {
    await place.empty();
    const opened: PostgresSpendBooks[] = [];
    const on = async (db: PostgresDatabase) => {
      const made = await createPostgresSpendBooks(db);
      opened.push(made);
      return made;
    };
    return {
      ...(await on(handles[0]!)),
      another: () => on(handles[1]!),
      async dispose() {
        await Promise.all(opened.map(({ budgets }) => budgets.close()));
      },
    };
  };
  describeSpendLedger("createPostgresSpendBooks", books);
  describeBudgetLedger("createPostgresSpendBooks", books);
});
