import type { EngineStatus, QuotaEngine, RatedAdmission, UsageStore, WaitingRoom } from "@quota/engine";
import type { QuotaStore } from "./quotaStore/quotaStore.js";
import { Counter, Gauge, Histogram, Registry } from "prom-client";
import type { SpendHealth } from "./spend/createSpendHealth.js";
import { watchSpend } from "./spend/watchSpend.js";

/** What Prometheus is told. No label names a key: their number is not bounded, and who uses what is nobody's business here. */
export interface Metrics {
  /** Prometheus text. */
  text(): Promise<string>;
  readonly contentType: string;
  /** The same engine, timed. */
  watchEngine(engine: QuotaEngine): QuotaEngine;
  /** The same waiting room, its answers counted: each request once, however often it was asked about while it waited. */
  watchRoom(room: WaitingRoom<RatedAdmission>): WaitingRoom<RatedAdmission>;
  /** Tells which store counts, and how it does. */
  watchQuotaStore(quotaStore: Pick<QuotaStore, "status">): void;
  /** Tells how money makes its way into the ledger. */
  watchSpend(health: SpendHealth, now: () => number): void;
  /** The same store, its failures counted. */
  watchStore(store: UsageStore): UsageStore;
}

export function createMetrics(): Metrics {
  const registry = new Registry();
  const registers = [registry];
  const decisions = new Counter({
    name: "quota_decisions_total",
    help: "Requests by outcome (allowed, deprioritized, refused, ungoverned, unjudged, unavailable) and reason of refusal.",
    labelNames: ["outcome", "reason"],
    registers,
  });
  const rateRefusals = new Counter({
    name: "quota_rate_refusals_total",
    help: "Requests refused by a limit per minute, by what the limit belongs to (organisation, team, key) and its dimension (rpm, tpm).",
    labelNames: ["kind", "dimension"],
    registers,
  });
  const shadowDecisions = new Counter({
    name: "quota_shadow_decisions_total",
    help: "Requests to pools with a shadow rule, by the rule that decided and what it said, and the shadow rule and what it would have said. Of reserves with curves of their own the word alone.",
    labelNames: ["lending", "shadow", "status", "shadow_status"],
    registers,
  });
  const unjudged = new Counter({
    name: "quota_unjudged_total",
    help: "Requests that passed without a decision, since the store failed.",
    registers,
  });
  const admission = new Histogram({
    name: "quota_admission_seconds",
    help: "From asking the engine to its decision.",
    buckets: LATENCIES,
    registers,
  });
  const settlement = new Histogram({
    name: "quota_settle_seconds",
    help: "From settling or releasing a lease until it is written.",
    buckets: LATENCIES,
    registers,
  });
  const storeErrors = new Counter({
    name: "quota_store_errors_total",
    help: "Steps that the usage store could not do.",
    registers,
  });
  let status: (() => EngineStatus) | undefined;
  let waiting: (() => number) | undefined;
  new Gauge({
    name: "quota_waiting_requests",
    help: "Requests that wait their turn, since what refuses them clears soon.",
    registers,
    collect() {
      this.set(waiting?.() ?? 0);
    },
  });
  new Gauge({
    name: "quota_open_leases",
    help: "Requests admitted here that are neither settled nor released.",
    registers,
    collect() {
      this.set(status?.().openLeases ?? 0);
    },
  });
  new Gauge({
    name: "quota_remembered_keys",
    help: "Keys whose use could not be written yet.",
    registers,
    collect() {
      this.set(status?.().remembered ?? 0);
    },
  });

  // Each looks on from beside: whoever waits for the work gets its own promise, and waits no longer for being counted.
  function counted<Result>(work: Promise<Result>): Promise<Result> {
    work.catch((error: unknown) => {
      if (error instanceof Error && error.name === "StoreError") storeErrors.inc();
    });
    return work;
  }

  function timed<Result>(histogram: Histogram, work: Promise<Result>): Promise<Result> {
    const startedAt = performance.now();
    const stop = (): void => histogram.observe((performance.now() - startedAt) / 1000);
    work.then(stop, stop);
    return work;
  }

  function watchQuotaStore(quotaStore: Pick<QuotaStore, "status">): void {
    const { status } = quotaStore;
    new Gauge({
      name: "quota_store_info",
      help: "1 for the driver that was asked for, what counts (sqlite, redis, none) and how it does (ok, degraded, failing).",
      labelNames: ["driver", "serving", "state"],
      registers,
      collect() {
        const { asked, serving, state } = status();
        this.reset();
        this.set({ driver: asked.driver, serving, state }, 1);
      },
    });
    new Gauge({
      name: "quota_store_last_error_timestamp_seconds",
      help: "When the store failed last; 0: never since the start.",
      registers,
      collect() {
        this.set((status().lastError?.at ?? 0) / 1000);
      },
    });
  }

  return {
    watchQuotaStore,
    watchSpend: (health, now) => watchSpend(registry, health, now),
    text: () => registry.metrics(),
    contentType: registry.contentType,
    watchEngine(engine) {
      status = () => engine.status();
      return {
        ...engine,
        admit: (request) => timed(admission, engine.admit(request)),
        settle: (lease, actual) => timed(settlement, engine.settle(lease, actual)),
        release: (lease) => timed(settlement, engine.release(lease)),
      };
    },
    watchRoom(room) {
      waiting = () => room.waiting;
      return {
        ...room,
        async admit(request, patience) {
          const admitted = await room.admit(request, patience);
          const { decision } = admitted;
          decisions.inc({ outcome: decision.status, reason: reasonOf(decision) });
          if (decision.status === "unjudged") unjudged.inc();
          if ("shadow" in decision && decision.shadow !== undefined) {
            const { lending: shadow, status: shadow_status } = decision.shadow;
            const lending = decision.dimensions[0]?.lending ?? "unknown";
            shadowDecisions.inc({ lending, shadow: shadow.rule, status: decision.status, shadow_status });
          }
          if ("refusal" in decision && decision.refusal !== undefined) {
            const { node, dimension } = decision.refusal;
            rateRefusals.inc({ kind: node.kind, dimension });
          }
          return admitted;
        },
        get waiting() {
          return room.waiting;
        },
      };
    },
    watchStore: (store) => ({
      transact: (step) => counted(store.transact(step)),
      read: (ledger, counters) => counted(store.read(ledger, counters)),
      forget: (before) => counted(store.forget(before)),
      close: () => store.close(),
    }),
  };
}

/** Seconds: a memory store answers in microseconds, a contended file in a second. */
const LATENCIES = [0.000_05, 0.000_1, 0.000_25, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.1, 0.5, 2];

function reasonOf(decision: RatedAdmission["decision"]): string {
  if (decision.status === "refused") return decision.reason;
  return decision.status === "ungoverned" ? decision.why : "none";
}
