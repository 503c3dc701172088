import type { EngineStatus } from "@quota/engine";
import type { Integrity } from "@quota/sqlite";

/** What `/healthz` answers: 200 only when the store answers and the database is sound. */
export interface Health {
  readonly status: 200 | 503;
  readonly body: {
    readonly status: "ok" | "degraded" | "failing" | "stopping";
    /** Why it is not ok, in sentences without paths or secrets. */
    readonly reasons: readonly string[];
    readonly openLeases: number;
  };
}

export interface HealthParts {
  readonly engine: { status(): EngineStatus };
  /** Reads something small from the database; throws when it cannot. */
  readonly touch: () => void;
  readonly integrity: () => Integrity;
  /** What was asked for and is not given, known since the start. */
  readonly degraded: readonly string[];
  readonly isStopping: () => boolean;
  readonly now: () => number;
}

/** The integrity of the file is looked at no more than once a minute: it takes time that grows with the file. */
export function createHealthCheck(parts: HealthParts): () => Health {
  let sound: Integrity = { sound: true };
  let lookedAt = Number.NEGATIVE_INFINITY;

  return () => {
    const failures: string[] = [];
    try {
      parts.touch();
      if (parts.now() - lookedAt >= 60_000) {
        sound = parts.integrity();
        lookedAt = parts.now();
      }
      if (!sound.sound) failures.push("The database is damaged.");
    } catch {
      failures.push("The database does not answer.");
      lookedAt = Number.NEGATIVE_INFINITY;
    }
    const { storeFailure, openLeases } = parts.engine.status();
    if (storeFailure !== undefined)
      failures.push("The usage store fails; requests pass unjudged or are refused.");
    if (failures.length > 0)
      return { status: 503, body: { status: "failing", reasons: failures, openLeases } };
    if (parts.isStopping())
      return { status: 503, body: { status: "stopping", reasons: ["The gateway is stopping."], openLeases } };
    const status = parts.degraded.length > 0 ? "degraded" : "ok";
    return { status: 200, body: { status, reasons: parts.degraded, openLeases } };
  };
}
