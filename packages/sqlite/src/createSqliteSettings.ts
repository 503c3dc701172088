import type { Settings, SettingValue } from "@quota/engine";
import type { QuotaDatabase } from "./openQuotaDatabase.js";
import { orStoreError } from "./orStoreError.js";
import { patiently } from "./patiently.js";

/** Keeps settings in `quota_settings`, as JSON. */
export function createSqliteSettings(db: QuotaDatabase): Settings {
  const { connection, file, lockWaitMs } = db;
  const one = connection.prepare<[string], string>("SELECT value FROM quota_settings WHERE key = ?").pluck();
  const all = connection
    .prepare<[], [string, string]>("SELECT key, value FROM quota_settings ORDER BY key")
    .raw();
  const store = connection.prepare(
    "INSERT INTO quota_settings (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
  );
  const drop = connection.prepare("DELETE FROM quota_settings WHERE key = ?");

  return {
    async get(key) {
      return await orStoreError(file, async () => {
        const text = await patiently(() => one.get(key), lockWaitMs);
        return text === undefined ? undefined : parseValue(key, text);
      });
    },
    async set(key, value) {
      const text = JSON.stringify(value);
      await orStoreError(file, () => db.write(() => store.run(key, text)));
    },
    async change(changes) {
      const texts = [...changes].map(
        ([key, value]) => [key, value === undefined ? undefined : JSON.stringify(value)] as const,
      );
      await orStoreError(file, () =>
        db.write(() => {
          for (const [key, text] of texts)
            if (text === undefined) drop.run(key);
            else store.run(key, text);
        }),
      );
    },
    async delete(key) {
      return await orStoreError(file, () => db.write(() => drop.run(key).changes > 0));
    },
    async list() {
      return await orStoreError(file, async () => {
        const rows = await patiently(() => all.all(), lockWaitMs);
        return new Map(rows.map(([key, text]) => [key, parseValue(key, text)]));
      });
    },
  };
}

function parseValue(key: string, text: string): SettingValue {
  try {
    return JSON.parse(text) as SettingValue;
  } catch (cause) {
    throw new Error(`the setting ${key} is not JSON; set it again`, { cause });
  }
}
