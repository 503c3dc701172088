import type { Logger } from "@quota/engine";
import { rangeProblem } from "../numberRange.js";
import { StartError } from "../startError.js";
import type { Storage } from "../storage.js";
import { SHARING_NAMES, SHARING_NUMBERS, type SharingName } from "./sharingNumbers.js";

/**
 * The numbers in force, kept at hand: the database's, else the environment's, else the default. What this process writes is in force when the
 * write is answered; what another on the same file writes, within a second.
 */
export interface SharingSettings {
  now(name: SharingName): number;
  /** Every number, and who says so. */
  all(): SharingInForce;
  /** `null` takes the database's away; a name left out stays. All of it is written, or nothing. The numbers must be in range. */
  change(change: SharingChange): Promise<void>;
  /** Calls `heard` after every change of this number in force, whoever made it. */
  watch(name: SharingName, heard: () => void): void;
  /** Looks for no further changes; resolves when no look is under way. Call it before the database is closed. */
  close(): Promise<void>;
}

export type SharingInForce = Readonly<Record<SharingName, SettingInForce>>;

export interface SettingInForce {
  readonly value: number;
  readonly source: "database" | "environment" | "default";
}

export type SharingChange = Readonly<Partial<Record<SharingName, number | null | undefined>>>;

/** What the environment says; undefined where it says nothing. */
export type SharingEnvironment = Readonly<Record<SharingName, number | undefined>>;

/** @throws {StartError} for a stored value that is no number in range, naming the setting. */
export async function createSharingSettings({
  storage,
  environment,
  logger,
}: {
  readonly storage: {
    readonly settings: Pick<Storage["settings"], "get" | "change">;
    readonly watch: Storage["watch"];
  };
  readonly environment: SharingEnvironment;
  readonly logger: Logger;
}): Promise<SharingSettings> {
  const { settings } = storage;
  const listeners: { readonly name: SharingName; readonly heard: () => void }[] = [];
  let inForce = await read();
  /** Looks and changes, one after the other: a look that began before a change must not undo it. */
  let turn: Promise<unknown> = Promise.resolve();

  async function read(): Promise<SharingInForce> {
    const stored = await Promise.all(SHARING_NAMES.map((name) => storedNumber(name)));
    return inForceOf((_name, i) => stored[i]);
  }

  async function storedNumber(name: SharingName): Promise<number | undefined> {
    const { setting } = SHARING_NUMBERS[name];
    const value = await settings.get(setting).catch((cause: unknown) => {
      const said = cause instanceof Error ? cause.message : String(cause);
      throw new StartError(`The setting ${setting} in the database cannot be read. ${said}`, { cause });
    });
    if (value === undefined) return undefined;
    const problem = rangeProblem(value, SHARING_NUMBERS[name]);
    if (problem === undefined) return value as number;
    throw new StartError(`The setting ${setting} in the database is ${JSON.stringify(value)}; it ${problem}`);
  }

  function inForceOf(stored: (name: SharingName, i: number) => number | undefined): SharingInForce {
    return Object.fromEntries(
      SHARING_NAMES.map((name, i) => [name, settingOf(name, stored(name, i))]),
    ) as SharingInForce;
  }

  function settingOf(name: SharingName, stored: number | undefined): SettingInForce {
    if (stored !== undefined) return { value: stored, source: "database" };
    const said = environment[name];
    return said === undefined
      ? { value: SHARING_NUMBERS[name].fallback, source: "default" }
      : { value: said, source: "environment" };
  }

  function put(next: SharingInForce): void {
    const before = inForce;
    inForce = next;
    for (const { name, heard } of listeners) if (next[name].value !== before[name].value) heard();
  }

  function inTurn(work: () => Promise<void>): Promise<void> {
    const mine = turn.then(work);
    turn = mine.catch((error: unknown) => error);
    return mine;
  }

  async function look(): Promise<void> {
    try {
      put(await read());
    } catch (err) {
      logger.warn(
        { scope: "quota:settings", err },
        "The settings of sharing could not be read again; the last ones seen are in force.",
      );
      // Whoever watches asks again.
      throw err;
    }
  }

  const stopWatching = storage.watch(() => inTurn(look));
  return {
    now: (name) => inForce[name].value,
    all: () => inForce,
    change: (change) =>
      inTurn(async () => {
        const changes = SHARING_NAMES.flatMap((name) => {
          const value = change[name];
          return value === undefined ? [] : [[SHARING_NUMBERS[name].setting, value ?? undefined] as const];
        });
        await settings.change(new Map(changes));
        put(
          inForceOf((name) => {
            const value = change[name];
            if (value !== undefined) return value ?? undefined;
            return inForce[name].source === "database" ? inForce[name].value : undefined;
          }),
        );
      }),
    watch: (name, heard) => void listeners.push({ name, heard }),
    async close() {
      stopWatching();
      await turn;
    },
  };
}
