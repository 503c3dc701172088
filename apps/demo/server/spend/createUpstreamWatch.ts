import type { LiveState } from "@quota/engine";

/** What is known of connections beyond this process: what fails, how long it takes, what it is used. */
export interface UpstreamWatch {
  /** The head of an answer is there, `ms` after the request was sent. 429 and 5xx are failures. */
  answered(connectionId: string, answer: { readonly status: number; readonly ms: number }): void;
  /** Unreachable, too slow, or broken off. */
  failed(connectionId: string): void;
  /** An answer took so many tokens. */
  used(connectionId: string, tokens: number): void;
  /** By connection; one of which nothing is known is there all the same. */
  of(connectionIds: readonly string[]): Promise<ReadonlyMap<string, UpstreamSeen>>;
}

export interface UpstreamSeen {
  /** While it has failed too often of late; nobody needs to keep away from it. */
  readonly cooldownUntil?: string;
  /** Until the head of an answer, on the average of the newest in the last hour. */
  readonly latencyMs?: number;
  /** In this UTC minute. */
  readonly tokensThisMinute: number;
}

/** From the third failure within a minute on, for half a minute. */
const TERMS = { allowed: 3, cooldownMs: 30_000 };

/** Nobody waits for what is written, and a store that does not answer costs nothing but the knowledge. */
export function createUpstreamWatch({
  live,
  now,
}: {
  readonly live: LiveState;
  readonly now: () => number;
}): UpstreamWatch {
  const failed = (id: string): void => void live.recordFailure(id, TERMS, now());
  return {
    answered(id, { status, ms }) {
      if (status === 429 || status >= 500) failed(id);
      else void live.addLatency(id, ms, now());
    },
    failed,
    used: (id, tokens) => void live.addUsage(id, tokens, now()),
    async of(ids) {
      const at = now();
      const [cooled, latencies, usages] = await Promise.all([
        live.cooled(ids, at),
        live.latencies(ids, at),
        live.usages(ids, at),
      ]);
      return new Map(
        ids.map((id) => {
          const until = cooled.get(id);
          const latencyMs = latencies.get(id);
          return [
            id,
            {
              ...(until !== undefined && { cooldownUntil: new Date(until).toISOString() }),
              ...(latencyMs !== undefined && { latencyMs }),
              tokensThisMinute: usages.get(id) ?? 0,
            },
          ];
        }),
      );
    },
  };
}
