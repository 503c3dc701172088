import { subjectName, type SpendEvent } from "@quota/core";
import type { BudgetLedger } from "./budgetLedger.js";
import { memoryBudgets, type PendingRow } from "./memoryBudgets.js";
import type { DeadLetter, SpendLedger } from "./spendLedger.js";
import { enteredEvent, mergedEntry, spendGroups, type SpendEntry } from "./spendGroups.js";

/**
 * Keeps what was spent, and budgets, in this process: the reference for every other ledger. It looks at every entry where others keep sums, and
 * ends with the process.
 *
 * @example
 * const { ledger, budgets } = createMemorySpendBooks();
 * await ledger.commit([event], Date.now());
 */
export function createMemorySpendBooks(): { readonly ledger: SpendLedger; readonly budgets: BudgetLedger } {
  const known = new Set<string>();
  const details = new Map<string, SpendEvent>();
  const purged = new Map<string, SpendEntry>();
  const totals = new Map<string, bigint>();
  const pending = new Map<string, PendingRow>();
  const letters = new Map<string, DeadLetter>();

  const ledger: SpendLedger = {
    async commit(events) {
      const costs = events.map((event) => enteredEvent(event).cost);
      let added = 0;
      for (const [i, event] of events.entries()) {
        pending.delete(event.requestId);
        if (known.has(event.requestId)) continue;
        known.add(event.requestId);
        details.set(event.requestId, event);
        added += 1;
        for (const name of event.subjects.map(subjectName))
          totals.set(name, (totals.get(name) ?? 0n) + costs[i]!);
      }
      return { added, known: events.length - added };
    },

    async total(subject) {
      return totals.get(subjectName(subject)) ?? 0n;
    },

    async spend(asked) {
      return spendGroups(entries(), asked);
    },

    async keepDeadLetter({ position, raw, why, requestId }, now) {
      if (letters.has(position)) return;
      letters.set(position, { id: position, raw, why, requestId, keptAt: now, state: "open" });
    },

    async deadLetters() {
      return [...letters.values()].reverse().sort((a, b) => b.keptAt - a.keptAt);
    },

    async closeDeadLetter(id, as) {
      const letter = letters.get(id);
      if (letter?.state !== "open") return false;
      letters.set(id, { ...letter, state: as });
      if (letter.requestId !== undefined) pending.delete(letter.requestId);
      return true;
    },

    async purge(before) {
      const old = [...details.values()].filter(({ endedAt }) => endedAt < before);
      for (const event of old) {
        details.delete(event.requestId);
        mergedEntry(purged, enteredEvent(event));
      }
      return old.length;
    },

    async close() {
      // Whoever shares the books may go on.
    },
  };

  return {
    ledger,
    budgets: memoryBudgets({ entries, pending, isKnown: (requestId) => known.has(requestId) }),
  };

  function* entries(): Generator<SpendEntry> {
    yield* purged.values();
    for (const event of details.values()) yield enteredEvent(event);
  }
}
