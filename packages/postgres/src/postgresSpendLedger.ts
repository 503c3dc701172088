import { subjectName, type SpendEvent } from "@quota/core";
import { StoreError, type DeadLetter, type SpendLedger } from "@quota/engine";
import type { BudgetRows } from "./budgetRows.js";
import { budgetSums } from "./budgetSums.js";
import { enterEvents, enterIds } from "./enterEvents.js";
import type { PostgresDatabase } from "./openPostgres.js";
import { lockPending, writePending, type TakenRows } from "./pendingRows.js";
import type { PostgresTransaction } from "./postgresTransaction.js";
import { readSpend } from "./readSpend.js";
import { spendAccounts } from "./spendAccounts.js";
import { COMMITTING, LEDGER_OPEN } from "./spendLocks.js";
import { storedText, textStored } from "./storedText.js";

/** How many rows one statement of a purge takes. */
const PURGED_AT_ONCE = 10_000;

/** The ledger of `createPostgresSpendBooks`. */
export function postgresSpendLedger({
  db,
  budgets: rows,
}: {
  readonly db: PostgresDatabase;
  readonly budgets: BudgetRows;
}): SpendLedger {
  const accounts = spendAccounts();
  let isClosed = false;
  const refuseWhenClosed = (): void => {
    if (isClosed) throw new StoreError("The spend ledger is closed.", { applied: "no" });
  };

  return {
    async commit(events, now) {
      refuseWhenClosed();
      const first = firsts(events);
      if (first.size === 0) return { added: 0, known: 0 };
      const added = await db.write(
        async (transaction) => {
          // One behind the other on the same connection; so below.
          const [fresh, taken] = await Promise.all([
            enterIds(transaction, [...first.keys()]),
            lockPending(transaction, [...first.keys()], now),
          ]);
          const entered = [...first.values()].filter(({ requestId }) => fresh.has(requestId));
          if (entered.length > 0)
            await enterEvents(transaction, entered, await accounts.numbersOf(transaction, entered));
          // Last, since whoever asks these budgets waits from here on.
          await settle(transaction, { entered, taken });
          return entered.length;
        },
        { begin: COMMITTING },
      );
      return { added, known: events.length - added };
    },

    async total(subject) {
      refuseWhenClosed();
      const [row] = await db.rows<{ total: string }>("SELECT total FROM spend_subjects WHERE subject = $1", [
        storedText(subjectName(subject)),
      ]);
      return BigInt(row?.total ?? 0);
    },

    async spend(asked) {
      refuseWhenClosed();
      return await readSpend(db, asked);
    },

    async keepDeadLetter({ position, raw, why, requestId }, now) {
      refuseWhenClosed();
      await db.write(({ run }) =>
        run(
          `INSERT INTO spend_dead_letters (position, raw, why, request_id, kept_at, state) VALUES ($1, $2, $3, $4, $5, 'open')
           ON CONFLICT (position) DO NOTHING`,
          [
            storedText(position),
            storedText(raw),
            storedText(why),
            requestId === undefined ? null : storedText(requestId),
            now,
          ],
        ),
      );
    },

    async deadLetters() {
      refuseWhenClosed();
      const found = await db.rows<LetterRow>(
        "SELECT letter, raw, why, request_id, kept_at, state FROM spend_dead_letters ORDER BY kept_at DESC, letter DESC",
      );
      return found.map(({ letter, raw, why, request_id, kept_at, state }) => ({
        id: letter,
        raw: textStored(raw),
        why: textStored(why),
        requestId: request_id === null ? undefined : textStored(request_id),
        keptAt: Number(kept_at),
        state,
      }));
    },

    async closeDeadLetter(id, as, now) {
      refuseWhenClosed();
      return await db.write(
        async (transaction) => {
          const [closed] = await transaction.rows<Pick<LetterRow, "request_id">>(
            `UPDATE spend_dead_letters SET state = $2, closed_at = $3 WHERE letter::text = $1 AND state = 'open'
             RETURNING request_id`,
            [storedText(id), as, now],
          );
          if (typeof closed?.request_id === "string") {
            const taken = await lockPending(transaction, [textStored(closed.request_id)], now);
            await settle(transaction, { entered: [], taken });
          }
          return closed !== undefined;
        },
        { begin: LEDGER_OPEN },
      );
    },

    async purge(before) {
      refuseWhenClosed();
      let purged = 0;
      for (;;) {
        const some = await db.write(({ run }) =>
          run(
            `DELETE FROM spend_events WHERE ctid = ANY(ARRAY(
               SELECT ctid FROM spend_events WHERE ended_at < $1 ORDER BY ended_at LIMIT ${String(PURGED_AT_ONCE)} FOR UPDATE SKIP LOCKED))`,
            [before],
          ),
        );
        purged += some;
        if (some < PURGED_AT_ONCE) return purged;
      }
    },

    async close() {
      isClosed = true;
    },
  };

  /** Takes out rows of what is pending, and brings budgets up to date with that and with events that were entered. */
  async function settle(
    transaction: PostgresTransaction,
    { entered, taken }: { readonly entered: readonly SpendEvent[]; readonly taken: TakenRows },
  ): Promise<void> {
    const pending = [...taken.asked, ...taken.expired];
    const names = new Set([
      ...entered.flatMap(({ subjects }) => subjects.map(subjectName)),
      ...pending.flatMap(([, { subjects }]) => subjects),
    ]);
    const sums = budgetSums(await rows.lock(transaction, [...names]));
    for (const { subjects, startedAt, cost } of entered)
      if (startedAt !== undefined && cost !== "unpriced")
        sums.raise(subjects.map(subjectName), startedAt, { spent: BigInt(cost) });
    for (const [, { subjects, startedAt, amount }] of pending)
      sums.raise(subjects, startedAt, { pending: -amount });
    await Promise.all([
      writePending(transaction, new Map(pending.map(([id]) => [id, undefined]))),
      sums.write(transaction),
    ]);
  }
}

interface LetterRow {
  readonly letter: string;
  readonly raw: string;
  readonly why: string;
  readonly request_id: string | null;
  readonly kept_at: string;
  readonly state: DeadLetter["state"];
}

/** Of events with one id the first. @throws {RangeError} for a cost that is no whole number; nothing was written then. */
function firsts(events: readonly SpendEvent[]): ReadonlyMap<string, SpendEvent> {
  const first = new Map<string, SpendEvent>();
  for (const event of events) {
    if (event.cost !== "unpriced") BigInt(event.cost);
    if (!first.has(event.requestId)) first.set(event.requestId, event);
  }
  return first;
}
