import type { DimensionUsage, EpochMs, PoolUsage } from "@quota/core";
import type { Account } from "../server/simulator/account.js";
import { spreadSinceReading, type SpreadSinceReading } from "./spreadSinceReading.js";

/** One window that is over. Amounts in percent of it. */
export interface WatchedWindow {
  readonly name: string;
  readonly openedAt: EpochMs;
  readonly keys: readonly WatchedKey[];
  /** What the provider last said of it. */
  readonly said: number;
  /** The largest `attributed + outside − said` of all readings: what was lost, or counted twice. */
  readonly error: number;
  readonly outside: number;
  /** What the owner really used. */
  readonly trueOutside: number;
  /** How full it really was. */
  readonly trueTotal: number;
}

export interface WatchedKey {
  readonly key: string;
  /** By the account's own books. */
  readonly truth: number;
  /** Spread by the engine. */
  readonly attributed: number;
  /** That, and what is reckoned since the last rise: what people see as the window ends. */
  readonly shown: number;
  /** Spread by demand since the last reading. */
  readonly sinceReading: number;
}

/** Looks at an account's windows, and at what the engine makes of them. */
export interface WindowWatch {
  /** When the first of the open windows ends. */
  nextEnd(now: EpochMs): EpochMs;
  demand(key: string, price: number): void;
  /** After the engine has been told a reading. */
  read(now: EpochMs): Promise<void>;
  /** In the last millisecond of a window. */
  end(now: EpochMs): Promise<void>;
  over(now: EpochMs): readonly WatchedWindow[];
}

/** What was last seen of one window. */
interface Sight {
  readonly spread: SpreadSinceReading;
  openedAt: EpochMs;
  said: number;
  error: number;
  outside: number;
  attributed: ReadonlyMap<string, number>;
  shown: ReadonlyMap<string, number>;
}

const GRAINS = 1_000_000;

export function watchWindows({
  account,
  usage,
}: {
  readonly account: Account;
  readonly usage: () => Promise<PoolUsage>;
}): WindowWatch {
  const open = new Map<string, Sight>();
  const spreads = new Map(
    account.settings().windows.map(({ name }) => [name, spreadSinceReading()] as const),
  );
  const ended = new Map<string, Sight[]>();
  let nextEnd: EpochMs | undefined;

  async function look(name: string, sight: Sight): Promise<DimensionUsage> {
    const { dimensions } = await usage();
    const dimension = dimensions.find(({ dimension: { window } }) => window === name)!;
    const error = (dimension.attributed + dimension.outside) / GRAINS - sight.said;
    // What providers say in tenths is no whole number of grains.
    const exact = Math.round(error * GRAINS) / GRAINS;
    if (Math.abs(exact) >= Math.abs(sight.error)) sight.error = exact;
    sight.outside = dimension.outside / GRAINS;
    return dimension;
  }

  return {
    nextEnd(now) {
      if (nextEnd !== undefined) return nextEnd;
      const { windows } = account.view(now);
      const ends = windows.filter(({ isOpen }) => isOpen).map(({ resetsAt }) => resetsAt);
      const next = Math.min(...ends);
      if (ends.length === windows.length) nextEnd = next;
      return next;
    },
    demand(key, price) {
      for (const spread of spreads.values()) spread.add(key, price);
    },
    async read(now) {
      for (const { name, isOpen, opensAt, percent } of account.view(now).windows) {
        if (!isOpen) continue;
        let sight = open.get(name);
        if (sight === undefined) {
          const spread = spreads.get(name)!;
          spread.restart();
          const nothing = { said: 0, error: 0, outside: 0, attributed: new Map(), shown: new Map() };
          sight = { spread, openedAt: opensAt, ...nothing };
          open.set(name, sight);
        }
        const rise = percent - sight.said;
        sight.spread.read(rise);
        if (rise === 0) continue;
        sight.said = percent;
        // All demand has been claimed by this rise: nothing is reckoned.
        sight.attributed = consumedBy(await look(name, sight));
      }
    },
    async end(now) {
      for (const { name, isOpen, resetsAt } of account.view(now).windows) {
        if (!isOpen || resetsAt > now + 1) continue;
        const sight = open.get(name);
        if (sight !== undefined) {
          sight.shown = consumedBy(await look(name, sight));
          const sights = ended.get(name) ?? [];
          ended.set(name, [
            ...sights,
            { ...sight, spread: { ...sight.spread, parts: new Map(sight.spread.parts) } },
          ]);
        }
        open.delete(name);
      }
      nextEnd = undefined;
    },
    over: (now) =>
      account.truth(now).flatMap(({ name, limit, finished }) =>
        (ended.get(name) ?? []).map((sight) => {
          const truth = finished.find(({ openedAt }) => openedAt === sight.openedAt)!;
          const percent = (used: number): number => (used / limit) * 100;
          const { openedAt, said, error, outside, attributed, shown, spread } = sight;
          return {
            ...{ name, openedAt, said, error, outside },
            trueOutside: percent(truth.outside),
            trueTotal: percent(truth.used),
            keys: [...new Set([...truth.byTag.keys(), ...shown.keys()])].map((key) => ({
              key,
              truth: percent(truth.byTag.get(key) ?? 0),
              attributed: attributed.get(key) ?? 0,
              shown: shown.get(key) ?? 0,
              sinceReading: spread.parts.get(key) ?? 0,
            })),
          };
        }),
      ),
  };
}

function consumedBy({ perKey }: DimensionUsage): ReadonlyMap<string, number> {
  return new Map(perKey.map(({ apiKeyId, consumed }) => [apiKeyId, consumed / GRAINS] as const));
}
