import {
  budgetLedgerChecks,
  spendLedgerChecks,
  type Check,
  type SpendBooks,
  type SpendBooksUnderTest,
} from "@quota/conformance";
import {
  checkBudget,
  subjectName,
  type BudgetStanding,
  type SpendEvent,
  type SpendSubject,
} from "@quota/core";
import { createMemorySpendBooks, type BudgetLedger, type SpendLedger } from "@quota/engine";
import { describe, expect, test } from "vitest";
import { stopAtFirstFailure } from "./stopAtFirstFailure.js";
import { TEXT_MISHAPS } from "./textMishaps.js";

type Change = (books: SpendBooks) => {
  readonly ledger?: Partial<SpendLedger>;
  readonly budgets?: Partial<BudgetLedger>;
};
type Faults = readonly (readonly [fault: string, change: Change, caughtBy: readonly string[]])[];

const HISTORIES = "random histories over two handles agree with a plain list";
const REPLAY = "what was committed before adds nothing, alone or among what is new";
const BATCH = "an id that comes twice in one batch counts once, as it comes first";
const ALL_OR_NONE = "a batch that cannot be written is not written at all, and can be once it is mended";
const EXACT = "amounts are exact, in one event and far past 2^53";
const TOTALS = "an event raises the total of each of its subjects by the whole cost, and nobody else's";
const APART = "requests, subjects and models are apart, whatever their ids are made of";
const GROUPS = "groups have what their events add up to, the largest first";
const KINDS = "spend is grouped by every kind of subject, and by none where there is none";
const DAYS = "days are those of UTC, in the order of time, by when the request ended";
const ENDS = "what ended at the beginning counts, and what ended at the end does not";
const ONE = "one subject's spend is its own, in whatever groups";
const PURGE = "purging drops the details of what ended before, and keeps totals, groups and ids";
const LETTERS = "dead letters are kept as they were, newest first, each position once";
const CLOSED = "a dead letter is closed once, and stays to be read";
const SETTLED = "what is pending for a request goes when its letter is closed, and not before";
const OVERLAP = "batches that overlap, committed at once over two handles, are added once";

const ledgerFaults: Faults = [
  ["knows no ids", renaming((id, n) => `${id} ${String(n)}`), [REPLAY, BATCH, HISTORIES, OVERLAP]],
  ["looks what it knows, waits, and then writes", racing, [OVERLAP]],
  [
    "writes a batch event by event",
    ({ ledger }) => ({
      ledger: {
        commit: async (events, now) => {
          let added = 0;
          for (const event of events) added += (await ledger.commit([event], now)).added;
          return { added, known: events.length - added };
        },
      },
    }),
    [ALL_OR_NONE],
  ],
  [
    "adds in doubles",
    ({ ledger }) => ({ ledger: { total: async (subject) => BigInt(Number(await ledger.total(subject))) } }),
    [EXACT],
  ],
  [
    "forgets what kind a subject is of",
    ({ ledger }) => ({
      ledger: {
        total: async ({ id }) => {
          const kinds = ["key", "team", "user", "organisation", "project"] as const;
          const amounts = await Promise.all(kinds.map(async (kind) => ledger.total({ kind, id })));
          return amounts.reduce((sum, amount) => sum + amount, 0n);
        },
      },
    }),
    [TOTALS],
  ],
  [
    "counts the first subject only",
    committing((event) => ({ ...event, subjects: event.subjects.slice(0, 1) })),
    [TOTALS, KINDS, HISTORIES],
  ],
  [
    "takes what has no price for free",
    committing((event) => ({ ...event, cost: event.cost === "unpriced" ? 0 : event.cost })),
    [GROUPS, HISTORIES],
  ],
  [
    "groups by when a request started",
    committing((event) => ({ ...event, endedAt: event.startedAt ?? event.endedAt })),
    [DAYS, HISTORIES],
  ],
  [
    "shows groups as they come",
    ({ ledger }) => ({ ledger: { spend: async (asked) => (await ledger.spend(asked)).toReversed() } }),
    [GROUPS, DAYS, HISTORIES],
  ],
  [
    "leaves out events without a group",
    ({ ledger }) => ({
      ledger: {
        spend: async (asked) => (await ledger.spend(asked)).filter(({ group }) => group !== undefined),
      },
    }),
    [GROUPS, KINDS, HISTORIES],
  ],
  [
    "leaves out what ended at the beginning",
    ({ ledger }) => ({
      ledger: { spend: async (asked) => ledger.spend({ ...asked, from: asked.from + 1 }) },
    }),
    [ENDS, HISTORIES],
  ],
  [
    "counts what ended at the end",
    ({ ledger }) => ({ ledger: { spend: async (asked) => ledger.spend({ ...asked, to: asked.to + 1 }) } }),
    [ENDS, HISTORIES],
  ],
  [
    "shows what others spent",
    ({ ledger }) => ({ ledger: { spend: async (asked) => ledger.spend({ ...asked, of: undefined }) } }),
    [ONE, HISTORIES],
  ],
  ["purges groups, too", purging({ groups: "go" }), [PURGE, ENDS, HISTORIES]],
  ["purges ids, too", purging({ ids: "go" }), [PURGE, HISTORIES]],
  [
    "purges what ended at the moment",
    ({ ledger }) => ({ ledger: { purge: async (before) => ledger.purge(before + 1) } }),
    [PURGE],
  ],
  ["purges nothing", () => ({ ledger: { purge: async () => 0 } }), [PURGE, ENDS]],
  [
    "keeps a dead letter twice",
    ({ ledger }) => {
      let kept = 0;
      return {
        ledger: {
          keepDeadLetter: async (letter, now) => {
            kept += 1;
            await ledger.keepDeadLetter({ ...letter, position: `${letter.position} ${String(kept)}` }, now);
          },
        },
      };
    },
    [LETTERS],
  ],
  [
    "shows the oldest dead letter first",
    ({ ledger }) => ({ ledger: { deadLetters: async () => (await ledger.deadLetters()).toReversed() } }),
    [LETTERS],
  ],
  [
    "closes a dead letter again",
    ({ ledger }) => ({
      ledger: { closeDeadLetter: async (...asked) => (await ledger.closeDeadLetter(...asked), true) },
    }),
    [CLOSED],
  ],
  [
    "closes every dead letter as one that was retried",
    ({ ledger }) => ({
      ledger: { closeDeadLetter: async (id, _as, now) => ledger.closeDeadLetter(id, "retried", now) },
    }),
    [CLOSED],
  ],
  [
    "leaves pending what the request of a closed letter cost",
    ({ ledger, budgets }) => ({
      ledger: {
        async closeDeadLetter(id, as, now) {
          const { requestId = "nobody's" } =
            (await ledger.deadLetters()).find((each) => each.id === id) ?? {};
          const isClosed = await ledger.closeDeadLetter(id, as, now);
          const subjects: readonly SpendSubject[] = [{ kind: "key", id: "alice" }];
          await budgets.answer({ requestId, subjects, startedAt: now, cost: 8 }, now);
          return isClosed;
        },
      },
    }),
    [SETTLED],
  ],
  [
    "drops a dead letter that is closed",
    ({ ledger }) => ({
      ledger: {
        deadLetters: async () => (await ledger.deadLetters()).filter(({ state }) => state === "open"),
      },
    }),
    [CLOSED],
  ],
  ...TEXT_MISHAPS.map(
    ([mishap, change]) =>
      [
        `${mishap} of models`,
        committing((event) => ({ ...event, model: event.model && change(event.model) })),
        [APART],
      ] as const,
  ),
  ...TEXT_MISHAPS.map(
    ([mishap, change]) => [`${mishap} of ids`, renaming((id) => change(id)), [APART]] as const,
  ),
];

const DOLLARS = "random histories over two handles agree with a plain list in which every dollar stands once";
const AT_ONCE =
  "whatever is held, answered, released and committed at once, every dollar is counted once in the end";
const WAY = "a request counts with its estimate, then with its cost, then in the total, each time once";
const EQUALITY =
  "a budget is passed up to its limit and not beyond, and a refusal says why and holds nothing";
const EVERY = "every budget of a request is asked, the first that refuses answers, and then none holds";
const CEILING = "40 that ask at once over two handles never hold more than the budget";
const LEASE = "a hold counts until its lease ends, and from then on no more";
const MANY = "50 holds whose leases have ended at once refuse nobody";
const STAYS = "what was answered does not expire, and stays until its event is committed";
const LATE = "an answer after its lease ended is written anew, whether the row is still there or not";
const FIRST = "the first answer of a request counts, and the others do not";
const AFTER = "an answer after the commit of its event changes nothing, nor does a release";
const RELEASE = "a release gives back what was held, once, and nothing of what was answered";
const RENEW = "what is renewed goes on holding, and nothing else does";
const UNPRICED = "what has no price passes or not, as the budget says, and holds no money";
const MIDDLE =
  "a budget set in the middle of a period counts what was spent and is pending in it, and nothing older";
const BACKLOG = "an old period's backlog does not eat the new one's budget, pending or committed";
const OVER = "what is held over the end of a period belongs to the one that it started in";
const ANEW = "a change of period or zone counts anew, what is pending too";
const ONCE = "a budget once and for all counts from its moment on, to the millisecond, and never ends";
const UNDATED = "what does not say when it started counts in whichever period is asked about";
const PURGED = "what was purged counts in its period all the same, and for a budget that is set later";
const BOTH = "an event takes away what its request held, whoever the event says has paid and however much";
const LARGE = "amounts are exact far past 2^53";
const IDS = "subjects and requests are apart, whatever their ids are made of";
const NONE = "who has no budget is not asked about, and may spend";
const KATHMANDU =
  "a day in Kathmandu, which begins at a quarter past counts what started in it, from its first millisecond to its last";

const budgetFaults: Faults = [
  [
    "adds what is pending to what is spent when it commits",
    committing((event) => ({ ...event, requestId: `event ${event.requestId}` })),
    [WAY, BOTH, STAYS, DOLLARS, AT_ONCE],
  ],
  [
    "does not count what is pending",
    ({ budgets }) => ({
      budgets: {
        standing: async (...asked) => {
          const standing = await budgets.standing(...asked);
          return standing && { ...standing, pending: 0n };
        },
      },
    }),
    [WAY, DOLLARS],
  ],
  ["decides, waits, and then holds", deciding({ waits: true }), [CEILING, AT_ONCE]],
  [
    "holds what the first budgets let pass, and then refuses",
    ({ budgets }) => ({
      budgets: {
        hold: async (asked, now) => {
          for (const subject of asked.subjects) {
            const requestId = `${asked.requestId} ${subjectName(subject)}`;
            const decision = await budgets.hold({ ...asked, requestId, subjects: [subject] }, now);
            if (!decision.allowed) return decision;
          }
          return { status: "allowed", allowed: true };
        },
      },
    }),
    [EVERY],
  ],
  [
    "asks budgets in the order in which it is told of subjects",
    ({ budgets }) => ({
      budgets: {
        hold: async (asked, now) => {
          for (const subject of asked.subjects) {
            const standing = await budgets.standing(subject, now);
            const decision = standing && checkBudget(standing, asked.estimate);
            if (decision?.allowed === false) return decision;
          }
          return budgets.hold(asked, now);
        },
      },
    }),
    [EVERY],
  ],
  [
    "refuses at equality",
    ({ budgets }) => ({
      budgets: {
        hold: async (asked, now) =>
          budgets.hold(
            { ...asked, estimate: asked.estimate === "unpriced" ? "unpriced" : asked.estimate + 1 },
            now,
          ),
      },
    }),
    [EQUALITY, EVERY, DOLLARS],
  ],
  [
    "takes what has no price for free",
    ({ budgets }) => ({
      budgets: {
        hold: async (asked, now) =>
          budgets.hold({ ...asked, estimate: asked.estimate === "unpriced" ? 0 : asked.estimate }, now),
      },
    }),
    [UNPRICED, DOLLARS],
  ],
  ...(
    [
      ["lets a hold count a millisecond longer", 1],
      ["lets no hold expire", Infinity],
    ] as const
  ).map(
    ([fault, longer]) =>
      [
        fault,
        ({ budgets }: SpendBooks) => ({
          budgets: {
            hold: async (asked, now) => budgets.hold({ ...asked, leaseEnd: asked.leaseEnd + longer }, now),
          },
        }),
        [LEASE, MANY],
      ] satisfies Faults[number],
  ),
  [
    "lets what was answered expire, or be released",
    answering("as held for ten minutes"),
    [STAYS, RELEASE, DOLLARS],
  ],
  ["counts every answer", answering("each"), [FIRST, DOLLARS]],
  [
    "writes an answer that comes after the commit",
    answering("after the commit, too"),
    [AFTER, DOLLARS, AT_ONCE],
  ],
  ["loses an answer that comes after the lease", answering("while held"), [LATE, DOLLARS]],
  ["renews nothing", () => ({ budgets: { renew: async () => undefined } }), [RENEW]],
  [
    "renews the first",
    ({ budgets }) => ({ budgets: { renew: async (ids, end) => budgets.renew(ids.slice(0, 1), end) } }),
    [RENEW],
  ],
  ["releases nothing", () => ({ budgets: { release: async () => undefined } }), [RELEASE, DOLLARS, AT_ONCE]],
  ["says that everybody has a budget", () => ({ budgets: { budgeted: (subjects) => subjects } }), [NONE]],
  ["begins at nothing when a budget is set", forgetting, [MIDDLE, ANEW, KATHMANDU, PURGED]],
  [
    "counts an answer in the period in which it comes",
    ({ budgets }) => ({
      budgets: { answer: async (answered, now) => budgets.answer({ ...answered, startedAt: now }, now) },
    }),
    [MIDDLE, OVER, ANEW],
  ],
  [
    "counts an event in the period in which it ended",
    committing((event) => ({ ...event, startedAt: event.endedAt })),
    [OVER, BACKLOG, KATHMANDU, DOLLARS],
  ],
  [
    "counts an event in the period in which it is committed",
    committing((event, now) => ({ ...event, startedAt: now })),
    [MIDDLE, BACKLOG, KATHMANDU, DOLLARS],
  ],
  [
    "counts what does not say when it started nowhere",
    committing((event) => ({ ...event, startedAt: event.startedAt ?? 0 })),
    [UNDATED],
  ],
  [
    "counts what does not say when it started when it is committed",
    committing((event, now) => ({ ...event, startedAt: event.startedAt ?? now })),
    [UNDATED],
  ],
  [
    "counts once and for all by whole quarters of an hour",
    ({ budgets }) => ({
      budgets: {
        set: async (subject, budget, now) =>
          budgets.set(subject, budget && { ...budget, since: budget.since - (budget.since % 900_000) }, now),
      },
    }),
    [ONCE],
  ],
  [
    "takes every zone for UTC",
    ({ budgets }) => ({
      budgets: {
        set: async (subject, budget, now) =>
          budgets.set(subject, budget && { ...budget, timeZone: "UTC" }, now),
      },
    }),
    [KATHMANDU, DOLLARS],
  ],
  [
    "adds in doubles",
    ({ budgets }) => ({
      budgets: {
        standing: async (...asked) => {
          const standing = await budgets.standing(...asked);
          return standing && { ...standing, pending: BigInt(Number(standing.pending)) };
        },
      },
    }),
    [LARGE],
  ],
  ...TEXT_MISHAPS.map(
    ([mishap, change]) =>
      [
        mishap,
        ({ budgets }: SpendBooks) => ({
          budgets: {
            set: async ({ kind, id }: SpendSubject, ...terms) =>
              budgets.set({ kind, id: change(id) }, ...terms),
            hold: async (asked, now) =>
              budgets.hold(
                { ...asked, subjects: asked.subjects.map(({ kind, id }) => ({ kind, id: change(id) })) },
                now,
              ),
          },
        }),
        [IDS],
      ] satisfies Faults[number],
  ),
];

for (const [kind, checks, faults] of [
  ["ledger", spendLedgerChecks, ledgerFaults],
  ["budget ledger", budgetLedgerChecks, budgetFaults],
] as const) {
  describe(`a ${kind} is caught that`, () => {
    stopAtFirstFailure({ seed: 7 });

    const cases = faults.flatMap(([fault, change, caughtBy]) =>
      caughtBy.map((name) => [fault, name, change] as const),
    );

    test.each(cases)("%s — by: %s", { timeout: 60_000 }, async (_, name, change) => {
      await expectCaught(checks, name, sharing(change));
    });
  });

  test(`an honest ${kind} passes over two handles`, { timeout: 60_000 }, async () => {
    for (const { run } of checks) await run(sharing(() => ({})));
  });
}

test("a ledger is caught that gives every handle books of its own", async () => {
  for (const name of [REPLAY, OVERLAP, HISTORIES])
    await expectCaught(spendLedgerChecks, name, {
      ...sharing(() => ({})),
      another: async () => createMemorySpendBooks(),
    });
});

async function expectCaught(
  checks: readonly Check<SpendBooksUnderTest>[],
  name: string,
  subject: SpendBooksUnderTest,
): Promise<void> {
  const check = checks.find((each) => each.name === name);
  expect(check, `there is no check named ${name}`).toBeDefined();
  await expect(check?.run(subject)).rejects.toThrow();
}

/** Two handles on the same books, with one change between them. */
function sharing(change: Change): SpendBooksUnderTest {
  const inner = createMemorySpendBooks();
  const { ledger, budgets } = change(inner);
  const books = { ledger: { ...inner.ledger, ...ledger }, budgets: { ...inner.budgets, ...budgets } };
  return { ...books, another: async () => books, dispose: async () => Promise.resolve() };
}

function committing(change: (event: SpendEvent, now: number) => SpendEvent): Change {
  return ({ ledger }) => ({
    ledger: {
      commit: async (events, now) =>
        ledger.commit(
          events.map((event) => change(event, now)),
          now,
        ),
    },
  });
}

function renaming(rename: (id: string, count: number) => string): Change {
  let count = 0;
  return committing((event) => {
    count += 1;
    return { ...event, requestId: rename(event.requestId, count) };
  });
}

function racing({ ledger }: SpendBooks): ReturnType<Change> {
  const known = new Set<string>();
  let count = 0;
  return {
    ledger: {
      commit: async (events, now) => {
        const fresh = events.filter(({ requestId }) => !known.has(requestId));
        await Promise.resolve();
        for (const { requestId } of fresh) known.add(requestId);
        count += 1;
        await ledger.commit(
          fresh.map((event) => ({ ...event, requestId: `${event.requestId} ${String(count)}` })),
          now,
        );
        return { added: fresh.length, known: events.length - fresh.length };
      },
    },
  };
}

/** Purges more than details. */
function purging(what: { readonly groups?: "go"; readonly ids?: "go" }): Change {
  return ({ ledger }) => {
    let purged = 0;
    const ended = new Map<string, number>();
    return {
      ledger: {
        purge: async (before) => {
          purged = Math.max(purged, before);
          return ledger.purge(before);
        },
        spend: async (asked) =>
          ledger.spend({ ...asked, from: what.groups === "go" ? Math.max(asked.from, purged) : asked.from }),
        commit: async (events, now) => {
          const forgotten = (id: string): boolean =>
            what.ids === "go" && (ended.get(id) ?? Infinity) < purged;
          const named = events.map((event) =>
            forgotten(event.requestId) ? { ...event, requestId: `${event.requestId} again` } : event,
          );
          for (const { requestId, endedAt } of events)
            if (!ended.has(requestId)) ended.set(requestId, endedAt);
          return ledger.commit(named, now);
        },
      },
    };
  };
}

function deciding({ waits }: { readonly waits: boolean }): Change {
  return ({ budgets }) => ({
    budgets: {
      hold: async (asked, now) => {
        for (const subject of asked.subjects) {
          const standing = await budgets.standing(subject, now);
          const decision = standing && checkBudget(standing, asked.estimate);
          if (decision?.allowed === false) return decision;
        }
        if (waits) await Promise.resolve();
        const cost = asked.estimate;
        await budgets.answer({ ...asked, requestId: `held ${asked.requestId}`, cost }, now);
        return { status: "allowed", allowed: true };
      },
    },
  });
}

type Answers = "as held for ten minutes" | "each" | "after the commit, too" | "while held";

function answering(how: Answers): Change {
  return ({ ledger, budgets }) => {
    const held = new Map<string, number>();
    const answered = new Map<string, number>();
    const committed = new Set<string>();
    return {
      ledger: {
        commit: async (events, now) => {
          for (const { requestId } of events) committed.add(requestId);
          return ledger.commit(events, now);
        },
      },
      budgets: {
        hold: async (asked, now) => {
          held.set(asked.requestId, asked.leaseEnd);
          return budgets.hold(asked, now);
        },
        answer: async (asked, now) => {
          const { requestId, subjects, startedAt, cost } = asked;
          switch (how) {
            case "as held for ten minutes":
              await budgets.release(requestId);
              await budgets.hold(
                { requestId, subjects, startedAt, estimate: cost, leaseEnd: now + 600_000 },
                now,
              );
              return;
            case "each": {
              const before = answered.get(requestId);
              const amount = cost === "unpriced" ? 0 : cost;
              answered.set(requestId, amount);
              const more = {
                ...asked,
                requestId: `${requestId} ${String(answered.size)}`,
                cost: amount - (before ?? 0),
              };
              return budgets.answer(before === undefined ? asked : more, now);
            }
            case "after the commit, too":
              return budgets.answer(
                committed.has(requestId) ? { ...asked, requestId: `${requestId} late` } : asked,
                now,
              );
            case "while held":
              if ((held.get(requestId) ?? 0) > now) await budgets.answer(asked, now);
          }
        },
      },
    };
  };
}

/** A subject whose budget is set is another one from then on. */
function forgetting({ ledger, budgets }: SpendBooks): ReturnType<Change> {
  const sets = new Map<string, number>();
  const names = new Map<string, SpendSubject>();
  const since = (subject: SpendSubject): SpendSubject => {
    const now = { kind: subject.kind, id: `${subject.id} ${String(sets.get(subjectName(subject)) ?? 0)}` };
    names.set(subjectName(now), subject);
    return now;
  };
  const named = (standing: BudgetStanding | undefined): BudgetStanding | undefined =>
    standing && { ...standing, subject: names.get(subjectName(standing.subject))! };
  return {
    ledger: {
      commit: async (events, now) =>
        ledger.commit(
          events.map((event) => ({ ...event, subjects: event.subjects.map(since) })),
          now,
        ),
    },
    budgets: {
      budgeted: (subjects) => subjects.filter((subject) => sets.has(subjectName(subject))),
      set: async (subject, budget, now) => {
        sets.set(subjectName(subject), (sets.get(subjectName(subject)) ?? 0) + 1);
        await budgets.set(since(subject), budget, now);
      },
      standing: async (subject, now) => named(await budgets.standing(since(subject), now)),
      hold: async (asked, now) => budgets.hold({ ...asked, subjects: asked.subjects.map(since) }, now),
      answer: async (asked, now) => budgets.answer({ ...asked, subjects: asked.subjects.map(since) }, now),
    },
  };
}
