import type { EpochMs } from "@quota/core";
import type { Logger } from "./quotaEngine.js";

/** Keeps what requests under way hold of budgets: one timer for all of them. */
export interface BudgetRenewal {
  /** This request is under way, from now on. */
  add(requestId: string): void;
  /** It is no more, or holds until its event is in the ledger. */
  drop(requestId: string): void;
  /** Renews no more, and waits for the renewal under way. */
  stop(): Promise<void>;
}

export function createBudgetRenewal(tools: {
  readonly renew: (requestIds: readonly string[], leaseEnd: EpochMs) => Promise<void>;
  readonly leaseMs: number;
  readonly now: () => EpochMs;
  readonly logger: Logger | undefined;
}): BudgetRenewal {
  const { renew, leaseMs, now, logger } = tools;
  const open = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  let underWay: Promise<void> | undefined;
  let stopped = false;

  function startIn(ms: number): void {
    if (timer !== undefined || underWay !== undefined || open.size === 0 || stopped) return;
    timer = setTimeout(() => {
      timer = undefined;
      underWay = renewAll().then((wentWell) => {
        underWay = undefined;
        // After a failure there is time for a few more tries before any lease ends.
        startIn(wentWell ? leaseMs / 2 : leaseMs / 8);
      });
    }, ms);
    timer.unref();
  }

  async function renewAll(): Promise<boolean> {
    if (open.size === 0) return true;
    try {
      await renew([...open], now() + leaseMs);
      return true;
    } catch (err) {
      const text =
        "What requests under way hold of their budgets could not be renewed; it is tried again soon.";
      logger?.warn({ scope: "quota:budgets", err }, text);
      return false;
    }
  }

  return {
    add(requestId) {
      open.add(requestId);
      startIn(leaseMs / 2);
    },
    drop: (requestId) => void open.delete(requestId),
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await underWay;
    },
  };
}
