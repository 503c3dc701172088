import { StoreError, type SpendFlusher, type SpendQueue } from "@quota/engine";
import type { IntakeStatus, SpendIntake } from "./createSpendIntake.js";

/** How events make their way into the ledger. */
export interface SpendHealth {
  /** Of the queue that all gateways share. @throws {StoreError} where it cannot be read. */
  read(): Promise<SpendQueueJson>;
  /** Of this process alone. */
  intake(): IntakeStatus;
  flusher(): ReturnType<SpendFlusher["status"]>;
  /** What somebody should know, in sentences. */
  reasons(): readonly string[];
}

export interface SpendQueueJson {
  /** Null where the queue does not answer. */
  readonly waiting: number | null;
  readonly oldestAt: string | null;
  readonly sharedBy: SpendQueue["sharedBy"];
  /** Events in the memory of this process, since the queue did not take them; and how often it did not. */
  readonly kept: number;
  readonly failures: number;
  /** Events that wait, or waited, in the file of this machine instead. */
  readonly spared: number;
  readonly flusher: {
    readonly state: ReturnType<SpendFlusher["status"]>["state"];
    readonly failure: { readonly at: string; readonly why: string; readonly inARow: number } | null;
    /** The damaged head that it waits at. */
    readonly stoppedAt: {
      readonly position: string;
      readonly why: string;
      readonly raw: string;
      readonly requestId?: string;
    } | null;
    readonly added: number;
    readonly known: number;
    readonly drainedAt: string | null;
  };
}

export function createSpendHealth({
  queue,
  flusher,
  intake,
}: {
  readonly queue: Pick<SpendQueue, "backlog" | "sharedBy">;
  readonly flusher: Pick<SpendFlusher, "status">;
  readonly intake: Pick<SpendIntake, "status">;
}): SpendHealth {
  return {
    async read() {
      const backlog = await backlogOf(queue);
      const { kept, failures, spared } = intake.status();
      return {
        waiting: backlog?.waiting ?? null,
        oldestAt: dateOrNull(backlog?.oldestAt),
        sharedBy: queue.sharedBy,
        kept,
        failures,
        spared,
        flusher: flusherJson(flusher.status()),
      };
    },
    intake: () => intake.status(),
    flusher: () => flusher.status(),
    reasons() {
      const { state } = flusher.status();
      const { kept } = intake.status();
      return [
        ...(state === "damaged"
          ? ["Spend waits in the queue: its head is damaged; keep it aside (POST /api/spend/queue)."]
          : []),
        ...(state === "failing" ? ["Spend waits in the queue: it cannot be written to the ledger."] : []),
        ...(kept > 0
          ? [`The spend queue fails; ${String(kept)} events are in the memory of this process alone.`]
          : []),
      ];
    },
  };
}

/** What else is to be said matters most where the queue is away. */
async function backlogOf(
  queue: Pick<SpendQueue, "backlog">,
): Promise<Awaited<ReturnType<SpendQueue["backlog"]>> | undefined> {
  try {
    return await queue.backlog();
  } catch (error) {
    if (error instanceof StoreError) return undefined;
    throw error;
  }
}

function flusherJson(status: ReturnType<SpendFlusher["status"]>): SpendQueueJson["flusher"] {
  const { state, failure, stoppedAt, added, known, drainedAt } = status;
  return {
    state,
    failure:
      failure === undefined
        ? null
        : { at: new Date(failure.at).toISOString(), why: saidBy(failure.cause), inARow: failure.inARow },
    stoppedAt:
      stoppedAt === undefined
        ? null
        : {
            position: stoppedAt.position,
            why: stoppedAt.why,
            raw: stoppedAt.raw,
            ...(stoppedAt.requestId !== undefined && { requestId: stoppedAt.requestId }),
          },
    added,
    known,
    drainedAt: dateOrNull(drainedAt),
  };
}

function dateOrNull(at: number | undefined): string | null {
  return at === undefined ? null : new Date(at).toISOString();
}

/** What a store says of itself names its file; what it was told by its driver does not. */
function saidBy(failure: unknown): string {
  const cause = failure instanceof StoreError && failure.cause instanceof Error ? failure.cause : failure;
  return cause instanceof Error ? cause.message : "unknown";
}
