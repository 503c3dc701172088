import type { PostgresDatabase } from "@quota/postgres";
import type { SessionRows } from "../session/sessionRows.js";

/** Sessions in the table `gateway_sessions`, asked for each time: one that was ended anywhere has ended everywhere. */
export function createPostgresSessionRows(db: PostgresDatabase): SessionRows {
  return {
    async find(hash) {
      const [row] = await db.rows<{ begun: string; used: string }>(
        "SELECT begun_at AS begun, used_at AS used FROM gateway_sessions WHERE id_hash = $1",
        [hash],
      );
      return row && { begunAt: Number(row.begun), usedAt: Number(row.used) };
    },
    add: (hash, { begunAt, usedAt }, over) =>
      db.write(async (transaction) => {
        await transaction.run("DELETE FROM gateway_sessions WHERE used_at <= $1 OR begun_at <= $2", [
          over.usedAt,
          over.begunAt,
        ]);
        await transaction.run(
          "INSERT INTO gateway_sessions (id_hash, begun_at, used_at) VALUES ($1, $2, $3)",
          [hash, begunAt, usedAt],
        );
      }),
    async use(hash, usedAt) {
      await db.write((transaction) =>
        transaction.run("UPDATE gateway_sessions SET used_at = greatest(used_at, $2) WHERE id_hash = $1", [
          hash,
          usedAt,
        ]),
      );
    },
    async remove(hash) {
      await db.write((transaction) =>
        transaction.run("DELETE FROM gateway_sessions WHERE id_hash = $1", [hash]),
      );
    },
  };
}
