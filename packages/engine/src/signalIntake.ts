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
  /** Resolves when all that a connection's provider has said so far is counted; undefined where it is. */
  pending(connectionId: string): Promise<void> | undefined;
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
  const waiting = new Map<string, Batch>();
  const running = new Map<string, Batch>();
  /** What could not be counted, because the store was away. */
  const uncounted = new Map<string, ReadonlyMap<string, ProviderReading>>();
  /** Whose windows connections' readings were last counted in. */
  const livePools = new Map<string, LivePool>();

  async function takeAll(connectionId: string): Promise<void> {
    for (;;) {
      const batch = waiting.get(connectionId);
      if (batch === undefined) break;
      waiting.delete(connectionId);
      running.set(connectionId, batch);
      try {
        await count(connectionId, batch);
      } catch (cause) {
        uncounted.set(connectionId, batch.readings);
        watch.failed({
          cause,
          at: now(),
          consequence: "what a provider said of its windows is counted with the next that it says",
        });
      }
      batch.finish();
    }
    running.delete(connectionId);
  }

  async function count(connectionId: string, batch: Batch): Promise<void> {
    const readings = [...batch.readings.values()];
    const live = await governing(connectionId, readings[0]!.provider);
    if (live === undefined) return;
    if (livePools.size >= MAX_CONNECTIONS) livePools.clear();
    livePools.set(connectionId, live);
    const at = now();
    const sightings = readings
      .map((reading) => sightingOf(reading, at))
      .filter((sighting): sighting is Sighting => sighting !== undefined && !isKnown(live, sighting));
    if (sightings.length === 0) return;
    await windows.see({ live, sightings, before: () => countOpen(live, batch.produced) }, at);
  }

  /** What open streams had used when the reading came in is demand, too. */
  async function countOpen(live: LivePool, produced: Batch["produced"]): Promise<void> {
    await Promise.all(
      [...produced]
        .filter(([held]) => held.live?.ledger === live.ledger)
        .map(([held, soFar]) => countSoFar(held, soFar)),
    );
  }

  async function countSoFar(held: HeldLease, soFar: number): Promise<void> {
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
      const at = now();
      const newer = kept.keep(connectionId, upToNow(readings, at)).filter(isOfPlans);
      if (newer.length === 0) return;
      const batch = waiting.get(connectionId) ?? newBatch(uncounted.get(connectionId));
      if (uncounted.size >= MAX_CONNECTIONS) uncounted.clear();
      uncounted.delete(connectionId);
      for (const reading of newer) batch.readings.set(limitOfReading(reading), reading);
      // Now, and not when it is counted: what is used from here on is part of the next rise.
      if (newer.some((reading) => mayRise(livePools.get(connectionId), reading, at)))
        for (const held of leases.openOn(connectionId)) batch.produced.set(held, producedBy(held));
      waiting.set(connectionId, batch);
      if (!running.has(connectionId)) void takeAll(connectionId);
      await batch.counted;
    },
    pending: (connectionId) => (waiting.get(connectionId) ?? running.get(connectionId))?.counted,
    async idle() {
      await Promise.all([...waiting.values(), ...running.values()].map(({ counted }) => counted));
    },
  };
}

/** What came in together. */
interface Batch {
  /** The newest of each limit. */
  readonly readings: Map<string, ProviderReading>;
  /** What open requests had used by then, in demand. */
  readonly produced: Map<HeldLease, number>;
  readonly counted: Promise<void>;
  finish(): void;
}

function newBatch(readings: ReadonlyMap<string, ProviderReading> | undefined): Batch {
  let finish!: () => void;
  const counted = new Promise<void>((resolve) => (finish = resolve));
  return { readings: new Map(readings), produced: new Map(), counted, finish };
}

/** Whether a percentage is another one than is known of the running window. Readings that came too late, or of windows that are over, tell nothing of that. */
function mayRise(live: LivePool | undefined, reading: ProviderReading, at: EpochMs): boolean {
  if (reading.unit !== "percent") return false;
  const sighting = sightingOf(reading, at);
  if (live === undefined || sighting === undefined) return true;
  const state = live.windows.known.states.get(sighting.name);
  return state?.by !== "provider" || at >= state.resets || sighting.seen !== state.seen;
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
