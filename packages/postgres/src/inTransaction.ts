import { StoreError } from "@quota/engine";
import type { Pool, PoolClient } from "pg";
import { setTimeout as sleep } from "node:timers/promises";
import { sqlState } from "./postgresFault.js";
import { transactionOn, type PostgresTransaction } from "./postgresTransaction.js";
import { storeError } from "./storeError.js";

/** How often a transaction is tried that others got in the way of. */
const ATTEMPTS = 6;

/**
 * Runs `work` in one transaction on a connection of the pool, and again where PostgreSQL has ended it in favour of another one (a deadlock, a
 * serialisation failure): all of it is kept, or none.
 *
 * @param work may run more than once.
 * @throws what `work` throws, after rolling back.
 * @throws {StoreError} `applied: "unknown"` where the answer to the commit was lost; `"no"` for every other failure.
 */
export async function inTransaction<Result>(
  { pool, place, begin = "BEGIN" }: TransactionTerms,
  work: (transaction: PostgresTransaction) => Promise<Result>,
): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await once({ pool, place, begin }, work);
    } catch (error) {
      if (attempt === ATTEMPTS || !isInTheWay(error)) throw error;
    }
    // Whoever got in the way is over by then, and two that do not march in step do not meet again.
    await sleep(Math.random() * 5 * attempt);
  }
}

export interface TransactionTerms {
  readonly pool: Pool;
  /** Names the database in messages. */
  readonly place: string;
  /** How it begins, where it is not just `BEGIN`: statements without values. */
  readonly begin?: string | undefined;
}

function isInTheWay(error: unknown): boolean {
  const state = error instanceof StoreError && error.applied === "no" ? sqlState(error.cause) : undefined;
  return state === "40001" || state === "40P01";
}

async function once<Result>(
  { pool, place, begin }: { readonly pool: Pool; readonly place: string; readonly begin: string },
  work: (transaction: PostgresTransaction) => Promise<Result>,
): Promise<Result> {
  const client = await pool.connect().catch((cause: unknown) => {
    throw storeError(cause, { place, applied: "no" });
  });
  let broken = true;
  // A connection that is lost between two statements says so to nobody else; the next statement is rejected.
  const lost = (): void => void (broken = true);
  client.on("error", lost);
  try {
    // The first statement goes out right behind the beginning. Should that fail, all that follows does, too: wait for the work to find out.
    const [begun, worked] = await Promise.allSettled([
      client.query(begin),
      work(transactionOn(client, place)),
    ]);
    if (begun.status === "rejected" || worked.status === "rejected") {
      broken = await rollBack(client);
      throw begun.status === "rejected"
        ? storeError(begun.reason, { place, applied: "no" })
        : (worked as PromiseRejectedResult).reason;
    }
    await commit(client, place);
    broken = false;
    return worked.value;
  } finally {
    client.off("error", lost);
    // What may still be in a transaction goes back to nobody.
    client.release(broken);
  }
}

/** Whether the connection is broken. */
async function rollBack(client: PoolClient): Promise<boolean> {
  try {
    await client.query("ROLLBACK");
    return false;
  } catch {
    // The server rolls back what it hears no more of; why is said by the error that led here.
    return true;
  }
}

async function commit(client: PoolClient, place: string): Promise<void> {
  let said: string;
  try {
    said = (await client.query("COMMIT")).command;
  } catch (cause) {
    // An error that the server reports comes before the commit, but for one class: it went away just then.
    const state = sqlState(cause);
    const applied = state === undefined || /^(57P|08)/.test(state) ? "unknown" : "no";
    throw storeError(cause, { place, applied });
  }
  if (said !== "COMMIT")
    throw storeError(new Error("a statement had failed, so the transaction was rolled back"), {
      place,
      applied: "no",
    });
}
