import { replacePoolsAndPlans, type PostgresDatabase } from "@quota/postgres";
import type { Logger } from "pino";
import { createRowSnapshot } from "../tables/createRowSnapshot.js";
import type { GatewayTables } from "../tables/gatewayTables.js";
import { stageChanges } from "../tables/stageChanges.js";
import type { SecretBox } from "./createSecretBox.js";
import { GATEWAY_TOPIC, readGatewayRows, writeGatewayRows, type ReadRows } from "./gatewayRows.js";

export interface PostgresTables extends GatewayTables {
  /** Looks no further; resolves when no reading is under way. */
  close(): Promise<void>;
}

/**
 * The gateway's tables in PostgreSQL, all of them in memory: to read is to wait for nobody, and goes on while the database is away. What another
 * process writes is read when the database says so. Writers take turns, whichever process they are in: each decides on rows that nobody else is changing.
 *
 * @throws {StoreError} when they cannot be read.
 */
export async function createPostgresTables(
  db: PostgresDatabase,
  { box, logger }: { readonly box: SecretBox; readonly logger: Logger },
): Promise<PostgresTables> {
  const snapshot = createRowSnapshot();
  const looks = new Set<() => void>();
  let seen = -1;
  let turn: Promise<unknown> = Promise.resolve();
  let closed = false;

  const terms = {
    box,
    onDamage: (connectionId: string, err: unknown) =>
      logger.warn(
        { scope: "quota:connections", connectionId, err },
        "The stored secret of a connection does not open; set it again.",
      ),
  };

  function put(read: ReadRows, base: number): void {
    // A write of this process may have been first.
    if (seen !== base) return;
    snapshot.apply(read.changes, read.from);
    seen = read.revision;
    for (const look of looks) look();
  }

  async function load(): Promise<void> {
    const base = seen;
    const [now] = await db.rows<{ revision: string }>(
      "SELECT revision FROM quota_revisions WHERE topic = $1",
      [GATEWAY_TOPIC],
    );
    if (Number(now?.revision) !== base) put(await readGatewayRows({ ...terms, rows: db.rows }, base), base);
  }

  /** One reading after the other: what is asked now is not answered by what was read before. */
  async function catchUp(): Promise<void> {
    const mine = turn.then(load, load);
    turn = mine.catch((error: unknown) => error);
    await mine;
  }

  /** Whoever watches asks again for what could not be read just now. */
  async function follow(): Promise<void> {
    try {
      await catchUp();
    } catch (err) {
      if (!closed)
        logger.warn(
          { scope: "gateway:tables", err },
          "Keys, teams, organisations and connections could not be read again; the last ones seen are used.",
        );
      throw err;
    }
  }

  await catchUp();
  const stopWatching = db.watch(GATEWAY_TOPIC, follow);

  return {
    rows: snapshot.rows,
    reading: (work) => work(snapshot.rows),
    async write(work) {
      const written = await db.write(async (transaction) => {
        // From here on nobody else writes.
        const [row] = await transaction.rows<{ revision: string }>(
          "SELECT revision FROM quota_revisions WHERE topic = $1 FOR UPDATE",
          [GATEWAY_TOPIC],
        );
        // More than once where this process has read something of it meanwhile.
        while (seen !== Number(row?.revision)) {
          const base = seen;
          put(await readGatewayRows({ ...terms, rows: transaction.rows }, base), base);
        }
        const before = seen;
        const staged = stageChanges(snapshot.rows);
        const answer = work(staged.rows);
        const changes = staged.made();
        if (changes === undefined) return { answer, before, made: undefined };
        const revision = await transaction.changed(GATEWAY_TOPIC);
        await writeGatewayRows({ transaction, box }, changes, revision);
        if (changes.poolsAndPlans !== undefined)
          await replacePoolsAndPlans(transaction, changes.poolsAndPlans);
        return { answer, before, made: { changes, revision } };
      });
      const { answer, before, made } = written;
      if (made !== undefined) put({ ...made, from: "what there is" }, before);
      return answer;
    },
    catchUp,
    watch(look) {
      looks.add(look);
      return () => void looks.delete(look);
    },
    async close() {
      closed = true;
      stopWatching();
      await turn;
    },
  };
}
