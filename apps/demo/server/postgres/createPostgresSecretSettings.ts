import { storedText, type PostgresDatabase } from "@quota/postgres";
import type { SecretSettings } from "../secretSettings.js";
import type { SecretBox } from "./createSecretBox.js";

/** Sealed, in the table `gateway_secrets`. */
export function createPostgresSecretSettings(db: PostgresDatabase, box: SecretBox): SecretSettings {
  const placeOf = (name: string): string => `setting ${name}`;
  return {
    async read(name) {
      const [row] = await db.rows<{ secret: Buffer }>("SELECT secret FROM gateway_secrets WHERE name = $1", [
        storedText(name),
      ]);
      return row && box.open(row.secret, placeOf(name));
    },
    async write(name, text) {
      const values = [storedText(name), box.seal(text, placeOf(name))];
      await db.write((transaction) =>
        transaction.run(
          "INSERT INTO gateway_secrets (name, secret) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET secret = excluded.secret",
          values,
        ),
      );
    },
    async delete(name) {
      await db.write((transaction) =>
        transaction.run("DELETE FROM gateway_secrets WHERE name = $1", [storedText(name)]),
      );
    },
  };
}
