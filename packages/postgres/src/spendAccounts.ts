import { createHash } from "node:crypto";
import type { SpendEvent, SubjectKind } from "@quota/core";
import type { PostgresTransaction } from "./postgresTransaction.js";
import { storedText } from "./storedText.js";

/** Who pays and for which model, by number. */
export interface SpendAccounts {
  /** Numbers for all of these events; made where they have none yet. */
  numbersOf(
    transaction: PostgresTransaction,
    events: readonly SpendEvent[],
  ): Promise<(event: SpendEvent) => string>;
}

/** How many numbers are kept at hand. */
const AT_HAND = 20_000;

/** A number that a transaction has made is kept only once another one has read it: ours may yet be rolled back. */
export function spendAccounts(): SpendAccounts {
  const known = new Map<string, string>();
  return {
    async numbersOf({ rows, run }, events) {
      const names = new Map(events.map((event) => [event, JSON.stringify(partsOf(event))]));
      const missing = [...new Set(names.values())].filter((name) => !known.has(name));
      const fresh = new Map<string, string>();
      if (missing.length > 0) {
        const digests = new Map(missing.map((name) => [digestOf(name).toString("hex"), name]));
        const select =
          "SELECT account, encode(digest, 'hex') AS digest FROM spend_accounts WHERE digest = ANY($1::bytea[])";
        const buffers = [...digests.keys()].map((hex) => Buffer.from(hex, "hex"));
        const note = (
          found: readonly { account: string; digest: string }[],
          into: Map<string, string>,
        ): void => {
          for (const { account, digest } of found) into.set(digests.get(digest)!, account);
        };
        note(await rows(select, [buffers]), known);
        const unknown = [...digests]
          .filter(([, name]) => !known.has(name))
          .sort(([a], [b]) => (a < b ? -1 : 1));
        if (unknown.length > 0) {
          const parts = unknown.map(([, name]) => JSON.parse(name) as (string | null)[]);
          await run(
            `INSERT INTO spend_accounts (digest, key_id, team_id, user_id, organisation_id, project_id, model)
             SELECT * FROM unnest($1::bytea[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[])
             ON CONFLICT (digest) DO NOTHING`,
            [
              unknown.map(([hex]) => Buffer.from(hex, "hex")),
              ...[0, 1, 2, 3, 4, 5].map((i) => parts.map((each) => each[i])),
            ],
          );
          note(await rows(select, [buffers]), fresh);
        }
      }
      const numbers = new Map(
        [...names].map(([event, name]) => [event, fresh.get(name) ?? known.get(name)!]),
      );
      if (known.size > AT_HAND) known.clear();
      return (event) => numbers.get(event)!;
    },
  };
}

function partsOf({ subjects, model }: SpendEvent): readonly (string | null)[] {
  const idOf = (kind: SubjectKind): string | null => {
    const found = subjects.find((each) => each.kind === kind);
    return found === undefined ? null : storedText(found.id);
  };
  return [
    ...(["key", "team", "user", "organisation", "project"] as const).map(idOf),
    model === undefined ? null : storedText(model),
  ];
}

function digestOf(name: string): Buffer {
  return createHash("sha256").update(name).digest();
}
