import type { EpochMs, SpendEvent, SpendSubject } from "@quota/core";

/**
 * Where events wait until the ledger has them: first in, first out, and beside it what they add up to, subject by subject (the *hot spend*).
 *
 * `describeSpendQueue` of @quota/conformance is this contract as tests.
 */
export interface SpendQueue {
  /** Whether several processes may hand in and take out of the same queue. */
  readonly sharedBy: "one-process" | "one-machine" | "many-machines";
  /**
   * The only way in: appends the event and raises the hot spend of its subjects, in one step. A `requestId` that was handed in before changes
   * nothing, whatever the payload, also after its event was acknowledged, for as long as the queue remembers it.
   *
   * @throws {InvalidInputError} naming every fault; nothing is written.
   * @throws {StoreError} when the store cannot be written.
   */
  enqueueSpend(event: SpendEvent, now: EpochMs): Promise<"queued" | "known">;
  /** The oldest events, at most `count`, without taking them out. What comes after a damaged one is not shown. */
  peekSpend(count: number): Promise<SpendPeek>;
  /**
   * Takes out the first `count` items and lowers the hot spend by what they had added, if the first is still `head`; otherwise does nothing.
   *
   * @returns whether they were taken out.
   */
  ackSpend(head: SpendPosition, count: number): Promise<boolean>;
  /** Not yet acknowledged, in nano-dollars. */
  hotSpend(subject: SpendSubject): Promise<bigint>;
  /** Of requests that started at this moment or later, or that do not say when. `periodStart` is a whole minute. */
  hotSpendSince(subject: SpendSubject, periodStart: EpochMs): Promise<bigint>;
  /** How many wait, and when the oldest was handed in. */
  backlog(): Promise<{ readonly waiting: number; readonly oldestAt: EpochMs | undefined }>;
  /** Forgets ids that were acknowledged before this moment; how many. (Redis forgets by itself: 0.) */
  forgetAcknowledged(before: EpochMs): Promise<number>;
  /** Gives up what the queue itself opened. What comes after is rejected with a {@link StoreError}. */
  close(): Promise<void>;
}

/** Names an item for as long as it is in the queue, and never another one, nor one of another queue that leads to the same ledger. Opaque. */
export type SpendPosition = string;

/** The head of a queue. */
export interface SpendPeek {
  readonly items: readonly SpendItem[];
  /** The item after them, where it cannot be read. */
  readonly damaged?: DamagedSpend | undefined;
}

export interface SpendItem {
  readonly position: SpendPosition;
  /** As it was kept. */
  readonly raw: string;
  readonly event: SpendEvent;
}

export interface DamagedSpend {
  readonly position: SpendPosition;
  readonly raw: string;
  /** What is wrong with it, in a sentence. */
  readonly why: string;
  /** Where the queue knows it apart from the payload. */
  readonly requestId?: string | undefined;
}
