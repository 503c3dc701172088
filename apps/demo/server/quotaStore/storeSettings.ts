import type { SecretSettings } from "../secretSettings.js";
import { StartError } from "../startError.js";
import type { Storage } from "../storage.js";

/** Which store is asked for. */
export interface StoreChoice {
  readonly driver: StoreDriver;
  /** Who says so: the setting in the database goes before the environment. */
  readonly source: "database" | "environment" | "default";
  /** Undefined where none is configured. Holds a password, perhaps: never part of an answer or a log. */
  readonly redisUrl: string | undefined;
}

export type StoreDriver = (typeof STORE_DRIVERS)[number];

export const STORE_DRIVERS = ["sqlite", "redis"] as const;

/** What the environment says of the store. */
export interface StoreEnvironment {
  /** Undefined where it says nothing. */
  readonly driver: StoreDriver | undefined;
  readonly redisUrl: string | undefined;
}

/** `quotaStore.*`: the driver among the settings, the address of Redis among the secret ones, since it may hold a password. */
export interface StoreSettings {
  /** @throws {StartError} for a stored driver that is none. */
  read(): Promise<StoreChoice>;
  /** What the environment says of Redis, whatever is stored. */
  readonly environmentUrl: string | undefined;
  /** A `redisUrl` left out stays; `null` takes the stored one away. */
  write(change: {
    readonly driver: StoreDriver;
    readonly redisUrl?: string | null | undefined;
  }): Promise<void>;
}

/** Overrides `QUOTA_STORE_DRIVER`. */
const DRIVER_SETTING = "quotaStore.driver";
const REDIS_URL_SECRET = "quotaStore.redisUrl";

export function createStoreSettings({
  settings,
  secrets,
  environment,
}: {
  readonly settings: Pick<Storage["settings"], "get" | "set">;
  readonly secrets: SecretSettings;
  readonly environment: StoreEnvironment;
}): StoreSettings {
  return {
    environmentUrl: environment.redisUrl,
    async read() {
      const stored = await settings.get(DRIVER_SETTING);
      if (stored !== undefined && stored !== "sqlite" && stored !== "redis")
        throw new StartError(
          `The setting ${DRIVER_SETTING} in the database is ${JSON.stringify(stored)}; it must be "sqlite" or "redis".`,
        );
      const redisUrl = (await secrets.read(REDIS_URL_SECRET)) ?? environment.redisUrl;
      if (stored !== undefined) return { driver: stored, source: "database", redisUrl };
      if (environment.driver !== undefined)
        return { driver: environment.driver, source: "environment", redisUrl };
      return { driver: "sqlite", source: "default", redisUrl };
    },
    async write({ driver, redisUrl }) {
      if (redisUrl === null) await secrets.delete(REDIS_URL_SECRET);
      else if (redisUrl !== undefined) await secrets.write(REDIS_URL_SECRET, redisUrl);
      await settings.set(DRIVER_SETTING, driver);
    },
  };
}
