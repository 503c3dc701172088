import {
  burnCurve,
  computeBurnRate,
  type BurnPoint,
  type BurnRate,
  type BurnSample,
  type EpochMs,
} from "@quota/core";
import type { Counter, CounterId } from "./usageStore.js";

/** Remembers how much was used when, so that a page can say how fast it goes. */
export interface BurnMeter {
  /** Takes a note of a bucket's settled amount, everybody's. At most one note per 10 s is kept. */
  note(
    seen: {
      readonly ledger: string;
      readonly dimension: string;
      /** The bucket's own. One of another id is counted in another window: its number says nothing beside the ones before. */
      readonly counter: Pick<Counter, "id" | "bucket">;
      readonly amount: number;
    },
    now: EpochMs,
  ): void;
  rate(of: {
    readonly ledger: string;
    readonly dimension: string;
    readonly limit: number | "unknown";
    readonly used: number;
  }): BurnRate;
  /** What was noted, oldest first, with the rate as it was by then. */
  curve(of: { readonly ledger: string; readonly dimension: string }): readonly BurnPoint[];
}

const SAMPLE_EVERY_MS = 10_000;
const MAX_SAMPLES = 360;
/** Above this many ledgers, what was noted is forgotten, so that memory stays bounded. */
const MAX_LEDGERS = 5_000;

export function createBurnMeter(): BurnMeter {
  interface Track {
    id: CounterId;
    bucket: number;
    /** Cumulative use is what earlier buckets held, as far as we saw, and what the current one holds. */
    earlier: number;
    amount: number;
    readonly samples: BurnSample[];
  }
  /** By ledger, then by dimension: a name made of both would have to be made, and hashed, at every settlement. */
  const ledgers = new Map<string, Map<string, Track>>();

  function tracksOf(ledger: string): Map<string, Track> {
    let tracks = ledgers.get(ledger);
    if (tracks === undefined) {
      if (ledgers.size >= MAX_LEDGERS) ledgers.clear();
      tracks = new Map();
      ledgers.set(ledger, tracks);
    }
    return tracks;
  }

  function samplesOf({ ledger, dimension }: Parameters<BurnMeter["curve"]>[0]): readonly BurnSample[] {
    return ledgers.get(ledger)?.get(dimension)?.samples ?? [];
  }

  return {
    note({ ledger, dimension, counter: { id, bucket }, amount }, now) {
      const tracks = tracksOf(ledger);
      let track = tracks.get(dimension);
      if (track === undefined) {
        track = { id, bucket, earlier: 0, amount, samples: [] };
        tracks.set(dimension, track);
      }
      if (id !== track.id) {
        // It may have begun with what the window before it held: what is there at first sight is nobody's new use.
        track.earlier += track.amount - amount;
        track.id = id;
        track.bucket = bucket;
        track.amount = amount;
      } else if (bucket > track.bucket) {
        track.earlier += track.amount;
        track.bucket = bucket;
        track.amount = 0;
      }
      if (bucket === track.bucket) track.amount = Math.max(track.amount, amount);
      const newest = track.samples.at(-1);
      if (newest !== undefined && now - newest.at < SAMPLE_EVERY_MS) return;
      track.samples.push({ at: now, used: track.earlier + track.amount });
      if (track.samples.length > MAX_SAMPLES) track.samples.shift();
    },
    rate: ({ limit, used, ...of }) => computeBurnRate({ samples: samplesOf(of), limit, used }),
    curve: (of) => burnCurve(samplesOf(of)),
  };
}
