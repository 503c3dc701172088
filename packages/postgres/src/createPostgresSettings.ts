import { StoreError, type Settings, type SettingValue } from "@quota/engine";
import type { PostgresDatabase } from "./openPostgres.js";
import type { PostgresTransaction } from "./postgresTransaction.js";
import { storedText, textStored } from "./storedText.js";

/** What `PostgresDatabase.watch` tells changes of settings by. */
export const SETTINGS_TOPIC = "settings";

/** Keeps settings in `quota_settings`, as JSON. A process that keeps one at hand watches {@link SETTINGS_TOPIC}. */
export function createPostgresSettings(db: PostgresDatabase): Settings {
  const change = async (changes: ReadonlyMap<string, SettingValue | undefined>): Promise<number> => {
    const texts = [...changes].map(
      ([key, value]) => [storedText(key), value === undefined ? undefined : JSON.stringify(value)] as const,
    );
    return await db.write(async (transaction) => {
      await transaction.changed(SETTINGS_TOPIC);
      let changed = 0;
      for (const [key, text] of texts)
        changed += await (text === undefined ? drop(transaction, key) : store(transaction, key, text));
      return changed;
    });
  };

  return {
    async get(key) {
      const [row] = await db.rows<{ value: string }>("SELECT value FROM quota_settings WHERE key = $1", [
        storedText(key),
      ]);
      return row && parseValue(key, row.value);
    },
    async set(key, value) {
      await change(new Map([[key, value]]));
    },
    async change(changes) {
      await change(changes);
    },
    delete: async (key) => (await change(new Map([[key, undefined]]))) > 0,
    async list() {
      const rows = await db.rows<{ key: string; value: string }>(
        'SELECT key, value FROM quota_settings ORDER BY key COLLATE "C"',
      );
      return new Map(
        rows.map(({ key, value }) => {
          const name = textStored(key);
          return [name, parseValue(name, value)];
        }),
      );
    },
  };
}

const drop = (transaction: PostgresTransaction, key: string): Promise<number> =>
  transaction.run("DELETE FROM quota_settings WHERE key = $1", [key]);

const store = (transaction: PostgresTransaction, key: string, text: string): Promise<number> =>
  transaction.run(
    "INSERT INTO quota_settings (key, value) VALUES ($1, $2) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
    [key, text],
  );

function parseValue(key: string, text: string): SettingValue {
  try {
    return JSON.parse(text) as SettingValue;
  } catch (cause) {
    throw new StoreError(`The setting ${key} is not JSON; set it again.`, { applied: "no", cause });
  }
}
