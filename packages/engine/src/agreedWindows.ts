import type { EpochMs } from "@quota/core";
import type { BurnMeter } from "./burnMeter.js";
import { changeStep, type ChangeOutcome } from "./changeStep.js";
import { ContendedError } from "./contendedError.js";
import { everyoneCounter } from "./counterId.js";
import type { LivePool } from "./governedPools.js";
import { keysThatCount } from "./keysThatCount.js";
import type { Reading } from "./lastKnownUse.js";
import type { OutagePolicy } from "./outagePolicy.js";
import type { Sighting } from "./sighting.js";
import type { Counter, UsageStore } from "./usageStore.js";
import { sharesStep } from "./sharesStep.js";
import { StalePoolError } from "./stalePoolError.js";
import { windowChanges, type WindowChange } from "./windowChange.js";
import {
  MOVED,
  revisionCounter,
  STATE_SIZE,
  stateCounters,
  stateFrom,
  type KnownWindows,
} from "./windowState.js";

/** Keeps a pool's windows as all processes agree on them: in its ledger. */
export interface AgreedWindows {
  /**
   * Runs a step of the store's in the windows that are agreed on: agrees on those that the plan asks for, first, and runs it again
   * where they had moved on.
   *
   * @throws {ContendedError} when they move faster than that.
   * @throws {StalePoolError} when the ledger knows of a newer version of the pool than `live` is, and all is to be agreed on.
   */
  within<T>(
    asked: {
      readonly live: LivePool;
      /** `"new"`: only for windows that have ended. Who was let in under an older plan has no say in where its windows lie. */
      readonly agrees?: "new" | "all";
    },
    now: EpochMs,
    step: () => Promise<T | typeof MOVED>,
  ): Promise<T>;
  /** Looks at the ledger, for display: it may lag behind. */
  look(live: LivePool, now: EpochMs): Promise<void>;
  /**
   * Takes in what the provider said.
   *
   * @param before is run, once, before a rise is spread.
   */
  see(
    seen: {
      readonly live: LivePool;
      readonly sightings: readonly Sighting[];
      readonly before: () => Promise<void>;
    },
    now: EpochMs,
  ): Promise<void>;
}

/** How often a step that finds the windows changed is worked out again. */
const ATTEMPTS = 6;

export function createAgreedWindows(tools: {
  readonly store: UsageStore;
  readonly leaseMs: number;
  readonly burn: BurnMeter;
  readonly outage: Pick<OutagePolicy, "moved">;
}): AgreedWindows {
  const { store, leaseMs, burn, outage } = tools;

  /** Looks at the ledger as it is, and not as a store remembers it: that is why the step has no bounds. */
  async function refresh(live: LivePool, now: EpochMs): Promise<void> {
    const before = live.windows.known;
    const found = await readStates(live, now, (counters) => show(live, counters, now));
    // A ledger that knows less than we do has lost what it held: it begins anew, and we with it.
    if (found.revision < before.revision && live.windows.known === before) live.windows.known = found;
    else learn(live, found);
  }

  function show(live: LivePool, counters: readonly Counter[], now: EpochMs): Promise<readonly number[]> {
    return store.transact({
      ledger: live.ledger,
      counters,
      now,
      decide: (shown) => ({ result: shown.slice(), additions: new Array<number>(shown.length).fill(0) }),
    });
  }

  async function readStates(
    live: LivePool,
    now: EpochMs,
    read: (counters: readonly Counter[]) => Promise<readonly number[]>,
  ): Promise<KnownWindows> {
    const names = live.governed.dimensions.map(({ name }) => name);
    const amounts = await read([revisionCounter(now), ...names.flatMap((name) => stateCounters(name, now))]);
    const states = new Map(names.map((name, i) => [name, stateFrom(amounts, 1 + i * STATE_SIZE)]));
    return { revision: amounts[0]!, states };
  }

  /** Who looked earlier and was overtaken knows less. */
  function learn({ windows }: LivePool, { revision, states }: KnownWindows): void {
    if (revision < windows.known.revision) return;
    windows.known = { revision, states: new Map([...windows.known.states, ...states]) };
  }

  async function change(
    live: LivePool,
    now: EpochMs,
    {
      changesOf,
      before,
    }: {
      readonly changesOf: () => readonly WindowChange[];
      readonly before?: (() => Promise<void>) | undefined;
    },
  ): Promise<void> {
    let hasPrepared = before === undefined;
    let keys: readonly string[] | undefined;
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
      const known = { ...live.windows.known, revision: live.momentAt(now).revision };
      const changes = changesOf();
      if (changes.length === 0) return;
      const { counters, decide } = changeStep({ known, changes, keys, leaseMs }, now);
      let shown: Pick<Reading, "amounts" | "additions"> | undefined;
      const outcome: ChangeOutcome = await store.transact<ChangeOutcome>({
        ledger: live.ledger,
        now,
        counters,
        decide(amounts) {
          const verdict = decide(amounts);
          shown = { amounts: amounts.slice(), additions: verdict.additions };
          return verdict;
        },
      });
      if (outcome === MOVED) {
        await refresh(live, now);
        keys = undefined;
      } else if (outcome === "needs-keys") {
        if (!hasPrepared) await before!();
        hasPrepared = true;
        keys = await keysThatCount({ live, changes, show: (counters) => show(live, counters, now) });
      } else {
        learn(live, outcome.known);
        if (shown !== undefined) outage.moved(live, { counters, ...shown }, now);
        for (const { moment, amount } of outcome.told) noteBurn(live, { moment, amount }, now);
        return;
      }
    }
    throw new ContendedError();
  }

  /** Looks again where somebody else has been there before. */
  async function agreeOnShares(live: LivePool, now: EpochMs): Promise<void> {
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
      const moment = live.momentAt(now);
      if (moment.hasAgreedShares || moment.isWindowDue) return;
      refuseStale(live, now);
      const known = { ...live.windows.known, revision: moment.revision };
      const { counters, decide } = sharesStep({ known, moment, prints: live.printsAt(now) }, now);
      const outcome = await store.transact({ ledger: live.ledger, now, counters, decide });
      if (outcome === MOVED) await refresh(live, now);
      else learn(live, outcome);
    }
    throw new ContendedError();
  }

  /** Whoever reckons with older shares than the ledger's must not write them down. */
  function refuseStale(live: LivePool, now: EpochMs): void {
    const { dimensions, hasAgreedShares } = live.momentAt(now);
    if (hasAgreedShares) return;
    const { version } = live.governed.pool;
    if (dimensions.some(({ state }) => state.sharesVersion > version)) throw new StalePoolError();
  }

  function noteBurn(
    { ledger }: LivePool,
    { moment, amount }: { readonly moment: WindowChange["moment"]; readonly amount: number },
    now: EpochMs,
  ): void {
    const { dimension, window, state } = moment;
    const id = everyoneCounter({ dimension, isAgreed: true }, "settled");
    const counter = { id, bucket: window?.number ?? state.number };
    burn.note({ ledger, dimension: dimension.name, counter, amount }, now);
  }

  return {
    async look(live, now) {
      learn(live, await readStates(live, now, (counters) => store.read(live.ledger, counters)));
    },
    async within({ live, agrees = "all" }, now, step) {
      const changesOf = (): readonly WindowChange[] =>
        windowChanges(live.momentAt(now), [], now).filter(({ kind }) => agrees === "all" || kind === agrees);
      for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
        if (live.momentAt(now).isDue) {
          if (agrees === "all") refuseStale(live, now);
          await change(live, now, { changesOf });
          if (agrees === "all") await agreeOnShares(live, now);
        }
        const result = await step();
        if (result !== MOVED) return result;
        await refresh(live, now);
      }
      throw new ContendedError();
    },
    see: ({ live, sightings, before }, now) =>
      change(live, now, { changesOf: () => windowChanges(live.momentAt(now), sightings, now), before }),
  };
}
