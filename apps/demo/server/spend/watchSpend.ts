import { Counter, Gauge, type Registry } from "prom-client";
import type { SpendHealth } from "./createSpendHealth.js";

/** Tells Prometheus how money makes its way into the ledger. What the queue does not tell is left out. */
export function watchSpend(registry: Registry, health: SpendHealth, now: () => number): void {
  const registers = [registry];
  new Gauge({
    name: "quota_spend_queue_waiting",
    help: "Spend events that wait in the queue, of all gateways on it.",
    registers,
    async collect() {
      this.reset();
      const { waiting } = await health.read();
      if (waiting !== null) this.set(waiting);
    },
  });
  new Gauge({
    name: "quota_spend_queue_oldest_seconds",
    help: "Age of the oldest spend event in the queue; 0: none waits.",
    registers,
    async collect() {
      this.reset();
      const { waiting, oldestAt } = await health.read();
      if (waiting === null) return;
      this.set(oldestAt === null ? 0 : Math.max(0, now() - Date.parse(oldestAt)) / 1000);
    },
  });
  new Gauge({
    name: "quota_spend_flusher_info",
    help: "1 for what the flusher of this process does: flushing, idle, failing, damaged (it waits at a head that cannot be read) or stopped.",
    labelNames: ["state"],
    registers,
    collect() {
      this.reset();
      this.set({ state: health.flusher().state }, 1);
    },
  });
  new Gauge({
    name: "quota_spend_kept_events",
    help: "Spend events in the memory of this process alone, since the queue did not take them.",
    registers,
    collect() {
      this.set(health.intake().kept);
    },
  });
  const counted = (name: string, help: string, count: () => number): void => {
    new Counter({
      name,
      help,
      registers,
      collect() {
        this.reset();
        this.inc(count());
      },
    });
  };
  counted(
    "quota_spend_enqueue_failures_total",
    "Times that the spend queue did not take an event.",
    () => health.intake().failures,
  );
  counted(
    "quota_spend_spared_events_total",
    "Spend events that wait in this machine's file, since the spend queue did not take them.",
    () => health.intake().spared,
  );
  counted(
    "quota_spend_unpriced_total",
    "Spend events whose model has no price.",
    () => health.intake().unpriced,
  );
  counted(
    "quota_spend_flushed_total",
    "Spend events that this process has brought into the ledger.",
    () => health.flusher().added,
  );
  new Counter({
    name: "quota_spend_events_total",
    help: "Spend events that this process has handed in, by how the request ended (answered, client-left, failed).",
    labelNames: ["outcome"],
    registers,
    collect() {
      this.reset();
      for (const [outcome, count] of Object.entries(health.intake().taken)) this.inc({ outcome }, count);
    },
  });
}
