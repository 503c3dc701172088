import { StoreError, type LiveState, type SpendQueue } from "@quota/engine";

/** What of money may be in Redis: what gateways on several machines hand each other at once. */
export interface RedisSpend {
  readonly queue: SpendQueue;
  readonly live: LiveState;
}

/** No more often than this is a Redis asked for that was not there. */
const AGAIN_AFTER_MS = 1_000;

/**
 * The queue and what is known of connections in a Redis, on a connection of their own, which is made when it is first needed and made again until the server answers: until then whatever
 * is asked of the queue fails, and of connections nothing is known. The client comes back by itself later.
 */
export function createRedisSpend({
  open,
  now,
}: {
  readonly open: () => Promise<RedisSpend & { readonly close: () => Promise<void> }>;
  readonly now: () => number;
}): RedisSpend {
  let opened: ReturnType<typeof open> | undefined;
  let failed: { readonly at: number; readonly cause: unknown } | undefined;

  async function redis(): ReturnType<typeof open> {
    if (failed !== undefined && Math.abs(now() - failed.at) < AGAIN_AFTER_MS) throw away(failed.cause);
    opened ??= open();
    try {
      const there = await opened;
      failed = undefined;
      return there;
    } catch (cause) {
      opened = undefined;
      failed = { at: now(), cause };
      throw away(cause);
    }
  }

  const known = async <Answer>(
    ask: (live: LiveState) => Promise<Answer>,
    otherwise: Answer,
  ): Promise<Answer> => {
    try {
      return await ask((await redis()).live);
    } catch {
      // Lenient, as live state is.
      return otherwise;
    }
  };

  return {
    queue: {
      sharedBy: "many-machines",
      enqueueSpend: async (event, at) => (await redis()).queue.enqueueSpend(event, at),
      peekSpend: async (count) => (await redis()).queue.peekSpend(count),
      ackSpend: async (head, count) => (await redis()).queue.ackSpend(head, count),
      hotSpend: async (subject) => (await redis()).queue.hotSpend(subject),
      hotSpendSince: async (subject, since) => (await redis()).queue.hotSpendSince(subject, since),
      backlog: async () => (await redis()).queue.backlog(),
      forgetAcknowledged: async (before) => (await redis()).queue.forgetAcknowledged(before),
      async close() {
        const there = await opened?.catch(() => undefined);
        await there?.queue.close();
        await there?.close();
      },
    },
    live: {
      recordFailure: (id, terms, at) => known((live) => live.recordFailure(id, terms, at), undefined),
      cooled: (ids, at) => known((live) => live.cooled(ids, at), NOTHING),
      addLatency: (id, ms, at) => known((live) => live.addLatency(id, ms, at), undefined),
      latencies: (ids, at) => known((live) => live.latencies(ids, at), NOTHING),
      addUsage: (id, tokens, at) => known((live) => live.addUsage(id, tokens, at), undefined),
      usages: (ids, at) => known((live) => live.usages(ids, at), NOTHING),
      hitRpm: (id, at) => known((live) => live.hitRpm(id, at), undefined),
      hitTpm: (id, tokens, at) => known((live) => live.hitTpm(id, tokens, at), undefined),
    },
  };
}

const NOTHING: ReadonlyMap<string, number> = new Map();

function away(cause: unknown): StoreError {
  return new StoreError("Redis, where spend waits for the ledger, does not answer.", {
    applied: "no",
    cause,
  });
}
