import type { QuotaEngine } from "@quota/engine";
import { atOnce } from "./clocks.js";
import { keyId, requestBy } from "./team.js";

/** What one process saw. */
export interface Report {
  readonly granted: number;
  readonly refused: number;
  /** Neither granted nor refused for want of room, or settled and never written. */
  readonly failed: number;
  /** Milliseconds from asking to the answer. */
  readonly waits: readonly number[];
}

/** Admits one request after another by so many keys in turn, so many at once, and settles them, until one is not let in. Closes the engine. */
export async function admitUntilRefused(
  engine: QuotaEngine,
  { keys, width }: { readonly keys: number; readonly width: number },
): Promise<Report> {
  let granted = 0;
  let refused = 0;
  let failed = 0;
  const waits: number[] = [];
  await atOnce(width, width, async (worker) => {
    for (let turn = worker; refused === 0 && failed === 0; turn += width) {
      const asked = performance.now();
      const { decision, lease } = await engine.admit({
        ...requestBy(keyId(turn % keys)),
        estimate: { requests: 1, tokens: 0 },
      });
      waits.push(performance.now() - asked);
      if (lease !== undefined && decision.status === "allowed") {
        granted += 1;
        await engine.settle(lease, { requests: 1, tokens: 0 });
      } else if (decision.status === "refused" && decision.reason !== "contended") refused += 1;
      else failed += 1;
    }
  });
  failed += engine.status().remembered;
  await engine.close();
  return { granted, refused, failed, waits };
}
