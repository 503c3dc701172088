import { vi } from "vitest";

/** Asks until the expectation is met: a neighbour may keep what it read for a second, which is long on a busy machine. */
export async function eventually(expectation: () => Promise<void>): Promise<void> {
  await vi.waitFor(expectation, { timeout: 10_000, interval: 20 });
}
