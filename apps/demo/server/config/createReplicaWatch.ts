import { z } from "zod";
import type { OpenedRedis } from "../quotaStore/openedRedis.js";
import type { QuotaStore } from "../quotaStore/quotaStore.js";
import { CONFIG_PARTS, type ConfigHashes, type ConfigPart } from "./configHashes.js";

/** Compares this gateway's configuration with that of the others that count in the same Redis. */
export interface ReplicaWatch {
  /** Tells the others, and hears of them, now. */
  compare(): Promise<Comparison>;
  /** The configuration has just changed: the others hear of it before this resolves. */
  announce(): Promise<void>;
  /**
   * Whether nobody can be waited for who would know this revision of the rate plan: the one who counted under it has ended, or its
   * database was restored from before. The plan that is here then takes its place.
   */
  isNobodys(ratePlanRevision: number): Promise<boolean>;
  /** Takes leave of the others. */
  close(): Promise<void>;
}

/** In sentences; none where all are alike, or where Redis does not count. */
export interface Comparison {
  /** What makes the numbers wrong: gateways that share nothing, or not the same. */
  readonly differing: readonly string[];
  /** What only makes a bound wrong. */
  readonly crowded: readonly string[];
}

const ALIKE: Comparison = { differing: [], crowded: [] };

/** What a gateway tells of itself. */
const told = z.object({
  id: z.string(),
  at: z.number(),
  hashes: z.record(z.string(), z.string()),
  ratePlanRevision: z.number(),
  /** Names the database that it shares with others. */
  database: z.string().optional(),
});
type Told = Readonly<z.output<typeof told>>;

const KEY = "quota:gateways";
const BEAT_MS = 3_000;
/** One that has not been heard of for this long has ended. */
const GONE_AFTER_MS = 10_000;

/**
 * Each gateway says what it has every three seconds, in one hash that ends by itself. Of two with the same keys, teams and organisations the one
 * whose rate plan has the older revision takes the newer: the ledger of the plan goes by it.
 */
export function createReplicaWatch(parts: {
  readonly id: string;
  readonly quotaStore: Pick<QuotaStore, "redis" | "clock">;
  readonly replicas: number;
  readonly own: () => Promise<{
    readonly hashes: ConfigHashes;
    readonly ratePlanRevision: number;
    readonly database?: string | undefined;
  }>;
  readonly adopt: (ratePlanRevision: number) => Promise<void>;
}): ReplicaWatch {
  const { id, quotaStore, replicas, own, adopt } = parts;
  let comparing: Promise<Comparison> | undefined;
  /** A revision that the ledger knows and no gateway has told of, and since when. */
  let unclaimed: { readonly revision: number; readonly since: number } | undefined;
  const beat = setInterval(() => void compare(), BEAT_MS);
  beat.unref();

  /** One look at a time; who asks meanwhile hears the same. */
  function compare(): Promise<Comparison> {
    comparing ??= look()
      .catch(incomparable)
      .finally(() => (comparing = undefined));
    return comparing;
  }

  /** The others that are there. What is no gateway's word is passed over: it must not keep the others from being heard. */
  async function heard(redis: Pick<OpenedRedis, "ask">, now: number): Promise<readonly Told[]> {
    const words = (await redis.ask("hvals", KEY)) as readonly string[];
    const all = words.map(toldIn).filter((each) => each !== undefined);
    const gone = all.filter(({ at }) => now - at > GONE_AFTER_MS);
    if (gone.length > 0) await redis.ask("hdel", KEY, ...gone.map((each) => each.id));
    return all.filter((each) => each.id !== id && !gone.includes(each));
  }

  async function look(): Promise<Comparison> {
    const redis = quotaStore.redis();
    if (redis === undefined) return ALIKE;
    const now = quotaStore.clock.now();
    const mine: Told = { id, at: now, ...(await own()) };
    await redis.ask("hset", KEY, id, JSON.stringify(mine));
    await redis.ask("pexpire", KEY, String(GONE_AFTER_MS));
    const others = await heard(redis, now);
    const newest = Math.max(
      0,
      ...others
        .filter(({ hashes }) => hashes["keys"] === mine.hashes["keys"])
        .map(({ ratePlanRevision }) => ratePlanRevision),
    );
    if (newest > mine.ratePlanRevision) await adopt(newest);
    return { differing: difference(mine, others), crowded: crowd(1 + others.length) };
  }

  function crowd(gateways: number): readonly string[] {
    if (gateways <= replicas) return [];
    return [
      `${gateways} gateways count in this Redis, and QUOTA_REPLICAS says ${replicas}; set it to their number in each.`,
    ];
  }

  return {
    compare,
    async announce() {
      // One that is under way may have looked before the change.
      await comparing;
      await compare();
    },
    async isNobodys(revision) {
      const redis = quotaStore.redis();
      // All that count in one SQLite file have their plan from it.
      if (redis === undefined) return true;
      const now = quotaStore.clock.now();
      const others = await heard(redis, now);
      if (others.some(({ ratePlanRevision }) => ratePlanRevision >= revision)) {
        unclaimed = undefined;
        return false;
      }
      if (replicas === 1 && others.length === 0) return true;
      // One that has just changed its plan tells of it in a moment.
      if (unclaimed?.revision !== revision) unclaimed = { revision, since: now };
      return now - unclaimed.since > GONE_AFTER_MS;
    },
    async close() {
      clearInterval(beat);
      await comparing;
      // Without a word the others would look at it for ten seconds more.
      await quotaStore.redis()?.ask("hdel", KEY, id).catch(nobodyHears);
    },
  };
}

/** A Redis that does not answer is told of by whoever counts in it; one that answers and does not let us look is not. */
function incomparable(cause: unknown): Comparison {
  const said = cause instanceof Error ? cause.message : "";
  if (!/^(WRONGTYPE|NOPERM)\b/.test(said)) return ALIKE;
  const remedy = "Delete that key if it is not a hash, or grant the rights that docs/redis.md names.";
  return {
    differing: [
      `The gateways cannot compare their configurations: of ${KEY} Redis says "${said}". ${remedy}`,
    ],
    crowded: [],
  };
}

function toldIn(text: string): Told | undefined {
  try {
    return told.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

function nobodyHears(): void {
  // It ends by itself.
}

function difference(mine: Told, others: readonly Told[]): readonly string[] {
  // What two have from one database they have alike, but for a moment in which one of them has not looked; the settings are each one's own too.
  const isShared = (other: Told, part: ConfigPart): boolean =>
    part !== "settings" && mine.database !== undefined && other.database === mine.database;
  const parts = CONFIG_PARTS.filter((part) =>
    others.some((other) => other.hashes[part] !== mine.hashes[part] && !isShared(other, part)),
  );
  if (parts.length === 0) return [];
  const remedies = [
    ...(parts.some((part) => part !== "settings")
      ? ["take GET /api/config of the right one and PUT it to the others"]
      : []),
    ...(parts.includes("settings")
      ? ["give them the same QUOTA_* variables and the same settings (PUT /api/settings/sharing)"]
      : []),
  ];
  return [
    `The gateways that count in this Redis differ in their ${listed(parts)}: ${remedies.join(", and ")}.`,
  ];
}

function listed(parts: readonly ConfigPart[]): string {
  return parts.length === 1 ? parts[0]! : `${parts.slice(0, -1).join(", ")} and ${parts.at(-1)!}`;
}
