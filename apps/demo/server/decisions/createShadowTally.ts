import { lendingSpec, type EpochMs, type LendingSpec, type Pool } from "@quota/core";
import type { PoolDirectory, RatedAdmission, WaitingRoom } from "@quota/engine";
import type { ShadowCounts, ShadowJson } from "@quota/http";

/** How often the rule of a pool and its shadow rule agreed, in this process. */
export interface ShadowTally {
  /** The same waiting room, its last word on each request counted: once, however often it was asked about while it waited. */
  watchRoom(room: WaitingRoom<RatedAdmission>): WaitingRoom<RatedAdmission>;
  /** Undefined for a pool without a shadow rule. It begins anew with another rule or shadow, and with another life of the pool. */
  of(pool: Pool): ShadowJson | undefined;
}

/** Past this many pools, the one that was quiet for longest is forgotten. */
const MAX_POOLS = 1000;

export function createShadowTally(
  pools: Pick<PoolDirectory, "ofConnection">,
  clock: { now(): EpochMs },
): ShadowTally {
  /** By what is compared; the one that was quiet for longest comes first. */
  const tallies = new Map<string, Tally>();

  function tallyOf({ incarnation, lending, shadow }: Pool): Tally | undefined {
    if (shadow === undefined) return undefined;
    const [own, other] = [lendingSpec(lending), lendingSpec(shadow)];
    const found = tallies.get(incarnation);
    const compared = JSON.stringify([own, other]);
    const tally =
      found?.compared === compared
        ? found
        : { compared, lending: own, shadow: other, since: clock.now(), counts: { ...NOTHING } };
    tallies.delete(incarnation);
    tallies.set(incarnation, tally);
    const [quietest] = tallies.keys();
    if (tallies.size > MAX_POOLS) tallies.delete(quietest!);
    return tally;
  }

  return {
    watchRoom: (room) => ({
      ...room,
      async admit(request, patience) {
        const admitted = await room.admit(request, patience);
        const agreement = agreementOf(admitted.decision);
        if (agreement === undefined) return admitted;
        const pool = await pools.ofConnection(request.connectionId);
        const tally = pool === undefined ? undefined : tallyOf(pool);
        if (tally !== undefined) tally.counts[agreement] += 1;
        return admitted;
      },
      get waiting() {
        return room.waiting;
      },
    }),
    of(pool) {
      const tally = tallyOf(pool);
      if (tally === undefined) return undefined;
      const { lending, shadow, since, counts } = tally;
      return { lending, shadow, since, counts: { ...counts } };
    },
  };
}

interface Tally {
  readonly compared: string;
  readonly lending: LendingSpec;
  readonly shadow: LendingSpec;
  readonly since: EpochMs;
  readonly counts: { -readonly [Name in keyof ShadowCounts]: number };
}

const NOTHING: ShadowCounts = {
  bothAllowed: 0,
  bothRefused: 0,
  onlyShadowRefuses: 0,
  onlyShadowAllows: 0,
  unknown: 0,
};

/** Undefined where no pool decided: a limit per minute did, or nobody shares the connection. */
function agreementOf(decision: RatedAdmission["decision"]): keyof ShadowCounts | undefined {
  if (!("dimensions" in decision) || decision.status === "ungoverned") return undefined;
  const shadow = "shadow" in decision ? decision.shadow : undefined;
  if (shadow === undefined) return "unknown";
  if (decision.allowed) return shadow.status === "refused" ? "onlyShadowRefuses" : "bothAllowed";
  return shadow.status === "refused" ? "bothRefused" : "onlyShadowAllows";
}
