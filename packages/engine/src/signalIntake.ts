import { SAME_RESET_MS, type AmountsInGrains, type EpochMs, type ProviderReading } from "@quota/core";
import type { AgreedWindows } from "./agreedWindows.js";
import type { Awaitable } from "./awaitable.js";
import type { LivePool } from "./governedPools.js";
import { demandOf } from "./held.js";
import type { KeptReadings } from "./keptReadings.js";
import type { HeldLease, LeaseBook } from "./leaseBook.js";
import { limitOfReading } from "./limitOfReading.js";
import { NOTHING, type UnwrittenUse } from "./rememberedUse.js";
import type { Logger } from "./quotaEngine.js";
import { isOfPlans, sightingOf, type Sighting } from "./sighting.js";
import type { StoreWatch } from "./storeWatch.js";

/** Takes in what providers say, one connection after the other; what comes in meanwhile is taken in together. */
export interface SignalIntake {
  /** Resolves when what was said is counted, or cannot be for now. Never rejects. */
  take(connectionId: string, readings: readonly ProviderReading[]): Promise<void>;
  /** Waits for what is being taken in. */
  idle(): Promise<void>;
}

/** A reading that says what was said a moment ago is not taken to the store again; this is a moment. */
const MOMENT_MS = 5_000;
/** Above this many connections what waits is given up: it will be said again. */
const MAX_CONNECTIONS = 10_000;

export function createSignalIntake(tools: {
  readonly kept: KeptReadings;
  readonly leases: Pick<LeaseBook, "openOn">;
  readonly windows: AgreedWindows;
  readonly watch: StoreWatch;
  readonly governing: (connectionId: string, provider: string) => Awaitable<LivePool | undefined>;
  readonly write: (use: UnwrittenUse) => Promise<void>;
  readonly now: () => EpochMs;
  readonly logger: Logger | undefined;
}): SignalIntake {
  const { kept, leases, windows, watch, governing, write, now, logger } = tools;
  const waiting = new Map<string, Map<string, ProviderReading>>();
  const running = new Map<string, Promise<void>>();

  async function takeAll(connectionId: string): Promise<void> {
    for (;;) {
      const readings = waiting.get(connectionId);
      if (readings === undefined) return;
      waiting.delete(connectionId);
      try {
        await count(connectionId, [...readings.values()]);
      } catch (cause) {
        watch.failed({
          cause,
          at: now(),
          consequence: "what a provider said of its windows is counted with the next that it says",
        });
        // What has come in since is newer.
        for (const [name, reading] of waiting.get(connectionId) ?? []) readings.set(name, reading);
        waiting.set(connectionId, readings);
        return;
      }
    }
  }

  async function count(connectionId: string, readings: readonly ProviderReading[]): Promise<void> {
    const live = await governing(connectionId, readings[0]!.provider);
    if (live === undefined) return;
    const at = now();
    const sightings = readings
      .map((reading) => sightingOf(reading, at))
      .filter((sighting): sighting is Sighting => sighting !== undefined && !isKnown(live, sighting));
    if (sightings.length === 0) return;
    await windows.see({ live, sightings, before: () => countOpen(live) }, at);
  }

  /** What open streams have used so far is demand, too. */
  async function countOpen(live: LivePool): Promise<void> {
    await Promise.all(leases.openOn(live.ledger).map((held) => countSoFar(held)));
  }

  async function countSoFar(held: HeldLease): Promise<void> {
    const soFar = producedBy(held);
    const since = soFar - held.followed;
    if (!(since > 0)) return;
    held.followed = soFar;
    const actual: AmountsInGrains = { ...NOTHING, pricedTokens: since };
    await write({ caller: held.caller, live: held.live, actual, hold: undefined });
  }

  /** Whoever cannot say it is not asked again: one request must not keep everybody's windows from being known. */
  function producedBy(held: HeldLease): number {
    try {
      return demandOf(held.producedSoFar!());
    } catch (err) {
      held.producedSoFar = undefined;
      logger?.warn(
        { scope: "quota:signals", connectionId: held.connectionId, err },
        "What an open request has used so far cannot be had; it counts when that is over.",
      );
      return 0;
    }
  }

  return {
    async take(connectionId, readings) {
      const newer = kept.keep(connectionId, upToNow(readings, now())).filter(isOfPlans);
      if (newer.length === 0) return;
      if (waiting.size >= MAX_CONNECTIONS) waiting.clear();
      const mine = waiting.get(connectionId) ?? new Map<string, ProviderReading>();
      for (const reading of newer) mine.set(limitOfReading(reading), reading);
      waiting.set(connectionId, mine);
      let run = running.get(connectionId);
      if (run === undefined) {
        run = takeAll(connectionId).finally(() => running.delete(connectionId));
        running.set(connectionId, run);
      }
      await run;
    },
    async idle() {
      await Promise.all(running.values());
    },
  };
}

/** A clock that is ahead does not make its readings the newest for as long as it is ahead. */
function upToNow(readings: readonly ProviderReading[], at: EpochMs): readonly ProviderReading[] {
  if (readings.every(({ receivedAt }) => receivedAt <= at)) return readings;
  return readings.map((reading) => ({ ...reading, receivedAt: Math.min(reading.receivedAt, at) }));
}

/** Says what was said a moment ago. */
function isKnown({ windows }: LivePool, { name, seen, resetsAt, receivedAt }: Sighting): boolean {
  const state = windows.known.states.get(name);
  if (state?.by !== "provider" || receivedAt >= state.resets) return false;
  if (receivedAt - state.seenAt >= MOMENT_MS || seen !== state.seen) return false;
  return resetsAt === undefined || Math.abs(resetsAt - state.resets) <= SAME_RESET_MS;
}
