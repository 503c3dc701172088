import type { QuotaDatabase } from "@quota/sqlite";
import type { SessionRow, SessionRows } from "./sessionRows.js";

/** Sessions in the table `sessions`. */
export function createSqliteSessionRows(database: QuotaDatabase): SessionRows {
  const { connection: db } = database;
  const insert = db.prepare("INSERT INTO sessions (id_hash, begun_at, used_at) VALUES (?, ?, ?)");
  const sweep = db.prepare("DELETE FROM sessions WHERE used_at <= ? OR begun_at <= ?");
  const byHash = db.prepare<[Buffer], SessionRow>(
    "SELECT begun_at AS begunAt, used_at AS usedAt FROM sessions WHERE id_hash = ?",
  );
  const touch = db.prepare("UPDATE sessions SET used_at = max(used_at, ?) WHERE id_hash = ?");
  const remove = db.prepare("DELETE FROM sessions WHERE id_hash = ?");
  return {
    find: async (hash) => byHash.get(hash),
    add: (hash, { begunAt, usedAt }, over) =>
      database.write(() => {
        sweep.run(over.usedAt, over.begunAt);
        insert.run(hash, begunAt, usedAt);
      }),
    async use(hash, usedAt) {
      await database.write(() => touch.run(usedAt, hash));
    },
    async remove(hash) {
      await database.write(() => remove.run(hash));
    },
  };
}
