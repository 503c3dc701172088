import { StoreError } from "@quota/engine";

/** Work that waits together is done together. */
export interface Batches<Job, Answer> {
  /** @throws what `run` throws for all that it was given; a {@link StoreError} after closing. */
  add(job: Job): Promise<Answer>;
  /** Waits for what was handed in, and takes nothing more. */
  close(): Promise<void>;
}

/** How many are done at once, at most: a transaction that locks a thousand rows keeps others waiting. */
const LARGEST = 256;

/** Hands what gathers while one batch is being done to `run` as the next one. */
export function inBatches<Job, Answer>(
  what: string,
  run: (jobs: readonly Job[]) => Promise<readonly Answer[]>,
): Batches<Job, Answer> {
  interface Waiting {
    readonly job: Job;
    readonly resolve: (answer: Answer) => void;
    readonly reject: (reason: unknown) => void;
  }
  const waiting: Waiting[] = [];
  let running: Promise<void> | undefined;
  let isClosed = false;

  return {
    async add(job) {
      if (isClosed) throw new StoreError(`The ${what} is closed.`, { applied: "no" });
      return await new Promise((resolve, reject) => {
        waiting.push({ job, resolve, reject });
        // In the next turn, with whoever else comes in this one.
        running ??= Promise.resolve().then(runAll);
      });
    },
    async close() {
      isClosed = true;
      await running;
    },
  };

  async function runAll(): Promise<void> {
    while (waiting.length > 0) {
      const batch = waiting.splice(0, LARGEST);
      try {
        const answers = await run(batch.map(({ job }) => job));
        for (const [i, { resolve }] of batch.entries()) resolve(answers[i]!);
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    // At once: who was answered may hand in again before anybody hears that this is over.
    running = undefined;
  }
}
