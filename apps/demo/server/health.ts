import type { Awaitable, EngineStatus } from "@quota/engine";
import type { Integrity } from "@quota/sqlite";
import type { Comparison } from "./config/createReplicaWatch.js";
import type { OutageRisk } from "./outageRisk.js";
import type { QuotaStore, QuotaStoreStatus } from "./quotaStore/quotaStore.js";

/** What `/healthz` answers: 200 only when the store answers and the database is sound. */
export interface Health {
  readonly status: 200 | 503;
  readonly body: {
    readonly status: "ok" | "degraded" | "failing" | "stopping";
    /** Why it is not ok, in sentences without paths or secrets. */
    readonly reasons: readonly string[];
    readonly openLeases: number;
    readonly store: StoreHealth;
    /** What each pool risks while the store is away; left out where the pools cannot be read. */
    readonly outage?: readonly OutageRisk[];
  };
}

/** Which store was asked for, what counts, and its last failure, whether or not it has worked since. */
export interface StoreHealth extends Pick<QuotaStoreStatus, "serving" | "state"> {
  readonly driver: QuotaStoreStatus["asked"]["driver"];
  readonly lastError?: { readonly at: string; readonly said: string };
}

export interface HealthParts {
  readonly engine: { status(): EngineStatus };
  /** Reads something small from the database; throws or rejects when it cannot. */
  readonly touch: () => Awaitable<void>;
  /** Whether requests are answered from memory while the database is away. Default false. */
  readonly outlivesDatabase?: boolean | undefined;
  readonly integrity: () => Integrity;
  readonly quotaStore: Pick<QuotaStore, "status" | "works">;
  /** How this gateway's configuration stands beside that of the others on the store. */
  readonly compare: () => Promise<Comparison>;
  readonly risks: () => Promise<readonly OutageRisk[]>;
  /** A sentence for each connection whose provider does not take its credentials. */
  readonly logins: () => readonly string[];
  /** The same of money that does not get into the ledger. */
  readonly spend: () => readonly string[];
  readonly isStopping: () => boolean;
  readonly now: () => number;
}

/** The integrity of the file is looked at no more than once a minute: it takes time that grows with the file. */
export function createHealthCheck(parts: HealthParts): () => Promise<Health> {
  const { engine, quotaStore } = parts;
  let sound: Integrity = { sound: true };
  let lookedAt = Number.NEGATIVE_INFINITY;

  async function databaseFailure(): Promise<string | undefined> {
    try {
      await parts.touch();
      if (parts.now() - lookedAt >= 60_000) {
        sound = parts.integrity();
        lookedAt = parts.now();
      }
      return sound.sound ? undefined : "The database is damaged.";
    } catch {
      lookedAt = Number.NEGATIVE_INFINITY;
      return "The database does not answer.";
    }
  }

  /** What failed for the last request may work again, and nobody sends requests to a gateway that calls itself failing: so it asks. */
  async function storeFailure(): Promise<string | undefined> {
    if (engine.status().storeFailure === undefined && quotaStore.status().state !== "failing")
      return undefined;
    return (await quotaStore.works())
      ? undefined
      : "The usage store fails; requests pass unjudged or are refused.";
  }

  return async () => {
    const [ofDatabase, ofStore, { differing, crowded }, outage] = await Promise.all([
      databaseFailure(),
      storeFailure(),
      parts.compare(),
      // That the database does not answer is said already.
      parts.risks().catch((): undefined => undefined),
    ]);
    // A load balancer must not send everybody away for what all gateways miss and do without.
    const [failure, shortcoming] = parts.outlivesDatabase
      ? [undefined, ofDatabase && `${ofDatabase} ${GOES_ON}`]
      : [ofDatabase, undefined];
    const failures = [failure, ofStore, ...differing].filter((each) => each !== undefined);
    const status = quotaStore.status();
    const { openLeases } = engine.status();
    const answer = (
      code: Health["status"],
      word: Health["body"]["status"],
      reasons: readonly string[],
    ): Health => ({
      status: code,
      body: { status: word, reasons, openLeases, store: storeHealth(status), ...(outage && { outage }) },
    });
    // Nothing has counted since the start: it is less than was asked for, and nobody should be sent here.
    if (status.serving === "none") return answer(503, "degraded", [status.reason ?? ""]);
    if (failures.length > 0) return answer(503, "failing", failures);
    if (parts.isStopping()) return answer(503, "stopping", ["The gateway is stopping."]);
    const shortcomings = [shortcoming, status.reason, ...crowded, ...parts.logins(), ...parts.spend()].filter(
      (reason) => reason !== undefined,
    );
    if (shortcomings.length > 0) return answer(200, "degraded", shortcomings);
    return answer(200, "ok", []);
  };
}

const GOES_ON = "Requests go on from what was read of it; changes are refused until it does.";

function storeHealth({ asked, serving, state, lastError }: QuotaStoreStatus): StoreHealth {
  return {
    driver: asked.driver,
    serving,
    state,
    ...(lastError !== undefined && {
      lastError: { at: new Date(lastError.at).toISOString(), said: lastError.said },
    }),
  };
}
