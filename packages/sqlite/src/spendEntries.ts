import {
  QUARTER_MS,
  quarterFrom,
  quarterOf,
  subjectName,
  type EpochMs,
  type SpendEvent,
  type SpendSubject,
  type SubjectKind,
} from "@quota/core";
import { DAY_MS } from "@quota/engine";
import type { Database } from "better-sqlite3";
import { numberedNames } from "./numberedNames.js";

/** The events of a ledger and the sums that are kept of them. What sums rise by is gathered until `write`. */
export interface SpendEntries {
  /** Enters an event; whether it was new. */
  enter(event: SpendEvent): boolean;
  write(): void;
  /** Forgets what was gathered, and what is at hand. */
  undo(): void;
  isKnown(requestId: string): boolean;
  /** Everything that a subject spent. */
  total(name: string): bigint;
  /** The part of it whose requests do not say when they started. */
  undated(name: string): bigint;
  /** The other part, from this moment on: summed up by quarters of an hour. Of the quarter that the moment lies in: what was not purged. */
  since(
    subject: SpendSubject,
    from: EpochMs,
  ): Iterable<{ readonly startedAt: EpochMs; readonly amount: bigint }>;
}

/** The column that holds the payer of a kind. */
export const PAYER_COLUMNS: Readonly<Record<SubjectKind, string>> = {
  key: "key_id",
  team: "team_id",
  user: "user_id",
  organisation: "organisation_id",
  project: "project_id",
};

interface SubjectRise {
  total: bigint;
  undated: bigint;
  readonly quarters: Map<EpochMs, bigint>;
}

interface GroupRise {
  cost: bigint;
  requests: number;
  unpriced: number;
  input: number;
  cachedInput: number;
  output: number;
}

export function spendEntries(connection: Database): SpendEntries {
  const statements = prepareStatements(connection);
  const accounts = numberedNames(
    (name) => statements.account.get(name),
    (name) => statements.openAccount.run(name, ...(JSON.parse(name) as (string | null)[])).lastInsertRowid,
  );
  const subjects = numberedNames(
    (name) => statements.subject.get(name),
    (name) => statements.openSubject.run(name).lastInsertRowid,
  );
  const bySubject = new Map<string, SubjectRise>();
  /** By span, by when it opens, by account. */
  const byEnd = new Map<number, Map<EpochMs, Map<number, GroupRise>>>();

  return {
    enter(event) {
      const { requestId, startedAt, endedAt, tokens, provider, connectionId, outcome } = event;
      if (statements.enterId.run(requestId).changes === 0) return false;
      const account = accounts.numberOf(accountName(event));
      statements.enterEvent.run(
        requestId,
        account,
        startedAt ?? null,
        endedAt,
        event.cost === "unpriced" ? null : event.cost,
        tokens?.input ?? null,
        tokens?.cachedInput ?? null,
        tokens?.cacheWrite ?? null,
        tokens?.output ?? null,
        tokens?.reasoning ?? null,
        provider ?? null,
        connectionId ?? null,
        outcome,
      );
      raiseSubjects(event);
      raiseGroup({ span: QUARTER_MS, opens: quarterOf(endedAt), account }, event);
      raiseGroup({ span: DAY_MS, opens: Math.floor(endedAt / DAY_MS) * DAY_MS, account }, event);
      return true;
    },

    write() {
      for (const [name, { total, undated, quarters }] of bySubject) {
        const subject = subjects.numberOf(name);
        statements.raiseSubject.run(total, undated, subject);
        for (const [quarter, amount] of quarters) statements.raiseStart.run(subject, quarter, amount);
      }
      bySubject.clear();
      for (const [span, spans] of byEnd)
        for (const [opens, groups] of spans)
          for (const [account, by] of groups)
            statements.raiseEnd.run(
              span,
              opens,
              account,
              by.cost,
              by.requests,
              by.unpriced,
              by.input,
              by.cachedInput,
              by.output,
            );
      byEnd.clear();
    },

    undo() {
      bySubject.clear();
      byEnd.clear();
      accounts.forget();
      subjects.forget();
    },

    isKnown: (requestId) => statements.isKnown.get(requestId) !== undefined,
    total: (name) => statements.total.get(name) ?? 0n,
    undated: (name) => statements.undated.get(name) ?? 0n,

    *since(subject, from) {
      const first = quarterFrom(from);
      for (const [quarter, amount] of statements.quarters.iterate(subjectName(subject), first))
        yield { startedAt: Number(quarter), amount };
      if (first > from) yield { startedAt: from, amount: startedBetween(subject, from, first) };
    },
  };

  function startedBetween({ kind, id }: SpendSubject, from: EpochMs, to: EpochMs): bigint {
    return (
      connection
        .prepare<[number, number, string], bigint>(
          `SELECT coalesce(sum(event.cost), 0) FROM spend_events AS event JOIN spend_accounts AS account USING (account)
           WHERE event.started_at >= ? AND event.started_at < ? AND account.${PAYER_COLUMNS[kind]} = ?`,
        )
        .pluck()
        .safeIntegers()
        .get(from, to, id) ?? 0n
    );
  }

  function raiseSubjects({ subjects: payers, cost, startedAt }: SpendEvent): void {
    const amount = cost === "unpriced" ? 0n : BigInt(cost);
    for (const payer of payers) {
      const name = subjectName(payer);
      let rise = bySubject.get(name);
      if (rise === undefined) bySubject.set(name, (rise = { total: 0n, undated: 0n, quarters: new Map() }));
      rise.total += amount;
      if (startedAt === undefined) rise.undated += amount;
      else {
        const quarter = quarterOf(startedAt);
        rise.quarters.set(quarter, (rise.quarters.get(quarter) ?? 0n) + amount);
      }
    }
  }

  function raiseGroup(
    { span, opens, account }: { readonly span: number; readonly opens: EpochMs; readonly account: number },
    { cost, tokens }: SpendEvent,
  ): void {
    const spans = byEnd.get(span) ?? new Map<EpochMs, Map<number, GroupRise>>();
    byEnd.set(span, spans);
    const groups = spans.get(opens) ?? new Map<number, GroupRise>();
    spans.set(opens, groups);
    const rise = groups.get(account) ?? {
      cost: 0n,
      requests: 0,
      unpriced: 0,
      input: 0,
      cachedInput: 0,
      output: 0,
    };
    groups.set(account, rise);
    if (cost === "unpriced") rise.unpriced += 1;
    else rise.cost += BigInt(cost);
    rise.requests += 1;
    if (tokens === undefined) return;
    rise.input += tokens.input;
    rise.cachedInput += tokens.cachedInput;
    rise.output += tokens.output;
  }
}

/** Who pays and for which model, in the order of the columns. */
function accountName({ subjects, model }: SpendEvent): string {
  const idOf = (kind: SubjectKind): string | null => subjects.find((each) => each.kind === kind)?.id ?? null;
  return JSON.stringify([
    idOf("key"),
    idOf("team"),
    idOf("user"),
    idOf("organisation"),
    idOf("project"),
    model ?? null,
  ]);
}

function prepareStatements(connection: Database) {
  return {
    enterId: connection.prepare("INSERT INTO spend_ids (request_id) VALUES (?) ON CONFLICT DO NOTHING"),
    isKnown: connection.prepare("SELECT 1 FROM spend_ids WHERE request_id = ?"),
    account: connection
      .prepare<[string], number>("SELECT account FROM spend_accounts WHERE name = ?")
      .pluck(),
    openAccount: connection.prepare(
      `INSERT INTO spend_accounts (name, key_id, team_id, user_id, organisation_id, project_id, model)
       VALUES (?, ?, ?, ?, ?, ?, ?)`,
    ),
    enterEvent: connection.prepare(
      `INSERT INTO spend_events (request_id, account, started_at, ended_at, cost, input, cached_input, cache_write, output, reasoning,
         provider, connection_id, outcome) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ),
    subject: connection
      .prepare<[string], number>("SELECT subject FROM spend_subjects WHERE name = ?")
      .pluck(),
    openSubject: connection.prepare("INSERT INTO spend_subjects (name, total, undated) VALUES (?, 0, 0)"),
    raiseSubject: connection.prepare(
      "UPDATE spend_subjects SET total = total + ?, undated = undated + ? WHERE subject = ?",
    ),
    total: connection
      .prepare<[string], bigint>("SELECT total FROM spend_subjects WHERE name = ?")
      .pluck()
      .safeIntegers(),
    undated: connection
      .prepare<[string], bigint>("SELECT undated FROM spend_subjects WHERE name = ?")
      .pluck()
      .safeIntegers(),
    raiseStart: connection.prepare(
      `INSERT INTO spend_by_start (subject, quarter, amount) VALUES (?, ?, ?)
       ON CONFLICT (subject, quarter) DO UPDATE SET amount = amount + excluded.amount`,
    ),
    quarters: connection
      .prepare<[string, number], [quarter: bigint, amount: bigint]>(
        `SELECT sums.quarter, sums.amount FROM spend_subjects AS payer JOIN spend_by_start AS sums USING (subject)
         WHERE payer.name = ? AND sums.quarter >= ?`,
      )
      .raw()
      .safeIntegers(),
    raiseEnd: connection.prepare(
      `INSERT INTO spend_by_end (span_ms, opens, account, cost, requests, unpriced, input, cached_input, output)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (span_ms, opens, account) DO UPDATE SET cost = cost + excluded.cost, requests = requests + excluded.requests,
         unpriced = unpriced + excluded.unpriced, input = input + excluded.input,
         cached_input = cached_input + excluded.cached_input, output = output + excluded.output`,
    ),
  };
}
