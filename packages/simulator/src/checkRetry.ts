import type { Refused } from "@quota/core";
import type { RetryCheck } from "./played.js";
import type { SimulatedPool } from "./simulatedPool.js";

/** Looks at a refusal from 1 ms before its `retryAt`, and from it: it must be refused, and pass. */
export async function checkRetry({
  pool,
  key,
  refused,
  into,
}: {
  readonly pool: Pick<SimulatedPool, "foresee">;
  readonly key: number;
  readonly refused: Refused;
  readonly into: { -readonly [count in keyof RetryCheck]: number };
}): Promise<void> {
  const { retryAt } = refused;
  if (retryAt === undefined) return;
  into.checked += 1;
  if ((await pool.foresee(key, retryAt - 1)).allowed) into.early += 1;
  if (!(await pool.foresee(key, retryAt)).allowed) into.late += 1;
}
