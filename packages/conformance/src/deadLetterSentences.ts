import { expect } from "vitest";
import { budget, counts, hold } from "./budgetSteps.js";
import type { Check } from "./check.js";
import { alice, NOON } from "./sampleSpend.js";
import type { SpendBooksUnderTest } from "./spendBooksUnderTest.js";

/** The contract of a spend ledger, by example: what a queue could not read. */
export const deadLetterSentences: readonly Check<SpendBooksUnderTest>[] = [
  {
    name: "dead letters are kept as they were, newest first, each position once",
    async run({ ledger, another }) {
      const neighbour = (await another?.())?.ledger ?? ledger;
      const raw = "{ \"'; -- \r\n 👩‍👩‍👧 e\u0301";
      await ledger.keepDeadLetter({ position: "7", raw, why: "It is no JSON.", requestId: "r7" }, NOON);
      await ledger.keepDeadLetter({ position: "9", raw: "", why: "It is empty." }, NOON + 1);
      await neighbour.keepDeadLetter({ position: "7", raw: "other", why: "Another reason." }, NOON + 2);
      const letters = await neighbour.deadLetters();
      expect(letters).toMatchObject([
        { raw: "", why: "It is empty.", keptAt: NOON + 1, state: "open" },
        { raw, why: "It is no JSON.", requestId: "r7", keptAt: NOON, state: "open" },
      ]);
      expect(letters[0]?.requestId).toBeUndefined();
      expect(letters[0]?.id).not.toBe(letters[1]?.id);
    },
  },
  {
    name: "a dead letter is closed once, and stays to be read",
    async run({ ledger }) {
      for (const position of ["1", "2"])
        await ledger.keepDeadLetter({ position, raw: position, why: "It is no event." }, NOON);
      const byRaw = async (): Promise<unknown> =>
        Object.fromEntries((await ledger.deadLetters()).map(({ raw, state }) => [raw, state]));
      const idOf = async (text: string): Promise<string> =>
        (await ledger.deadLetters()).find(({ raw }) => raw === text)!.id;
      expect(await ledger.closeDeadLetter(await idOf("1"), "retried", NOON)).toBe(true);
      expect(await ledger.closeDeadLetter(await idOf("1"), "kept-aside", NOON)).toBe(false);
      expect(await byRaw()).toEqual({ 1: "retried", 2: "open" });
      expect(await ledger.closeDeadLetter(await idOf("2"), "kept-aside", NOON)).toBe(true);
      expect(await ledger.closeDeadLetter("no such letter", "retried", NOON)).toBe(false);
      expect(await byRaw()).toEqual({ 1: "retried", 2: "kept-aside" });
    },
  },
  {
    name: "what is pending for a request goes when its letter is closed, and not before",
    async run({ ledger, budgets }) {
      await budgets.set(alice, budget(), NOON);
      for (const requestId of ["r1", "r2", "r3"]) {
        await hold(budgets, requestId);
        await budgets.answer({ requestId, subjects: [alice], startedAt: NOON, cost: 8 }, NOON);
      }
      await ledger.keepDeadLetter({ position: "1", raw: "", why: "It is empty.", requestId: "r1" }, NOON);
      await ledger.keepDeadLetter({ position: "2", raw: "?", why: "It is no JSON.", requestId: "r2" }, NOON);
      await ledger.keepDeadLetter({ position: "3", raw: "!", why: "It is no JSON." }, NOON);
      const close = async (text: string, as: "retried" | "kept-aside"): Promise<void> => {
        const { id } = (await ledger.deadLetters()).find(({ raw }) => raw === text)!;
        expect(await ledger.closeDeadLetter(id, as, NOON)).toBe(true);
      };
      expect(await counts(budgets, alice)).toEqual([0n, 24n]);
      await close("!", "kept-aside");
      expect(await counts(budgets, alice)).toEqual([0n, 24n]);
      await close("", "kept-aside");
      expect(await counts(budgets, alice)).toEqual([0n, 16n]);
      await close("?", "retried");
      expect(await counts(budgets, alice)).toEqual([0n, 8n]);
      // A budget that is given now adds the same up.
      await budgets.set(alice, budget({ limit: 90 }), NOON);
      expect(await counts(budgets, alice)).toEqual([0n, 8n]);
    },
  },
];
