import type { BudgetRefused, Decision, RateRefused } from "@quota/core";
import type { QuotaRequest, RatedAdmission, WaitingRoom } from "@quota/engine";
import { createMinuteCounter } from "./createMinuteCounter.js";

/** What was refused, turned away with the store, or let pass unjudged, of late and in this process: why somebody is blocked. */
export interface DecisionLog {
  /** The same waiting room, its last word on each request kept: once, however often it was asked about while it waited. */
  watchRoom(room: WaitingRoom<RatedAdmission>): WaitingRoom<RatedAdmission>;
  /** Newest first, 200 at most. */
  newest(of?: {
    readonly connectionId?: string | undefined;
    readonly apiKeyId?: string | undefined;
  }): readonly LoggedDecision[];
  /** How many requests were refused, or turned away with the store, within the last 60 minutes, to the minute. */
  refusalsLastHour(): number;
}

export interface LoggedDecision {
  /** One more for each that is kept. */
  readonly sequence: number;
  readonly at: number;
  readonly apiKeyId: string;
  readonly connectionId: string;
  /** Without what the store said, where it failed. */
  readonly decision: Decision | RateRefused | BudgetRefused;
}

/** How many are kept of a connection, and told at once. */
const KEPT = 200;
/** Past this many connections, the one that was quiet for longest is forgotten. */
const MAX_CONNECTIONS = 1000;

/** Costs an allowance one look at its status, and a refusal the same however much is kept already. */
export function createDecisionLog(clock: { now(): number }): DecisionLog {
  /** The connection that was quiet for longest comes first. */
  const connections = new Map<string, Ring>();
  const refusals = createMinuteCounter(60);
  let sequence = 0;

  function keep({ apiKeyId, connectionId }: QuotaRequest, decision: LoggedDecision["decision"]): void {
    const at = clock.now();
    if (!decision.allowed) refusals.count(at);
    sequence += 1;
    const ring = connections.get(connectionId) ?? { kept: [], oldest: 0 };
    const logged = { sequence, at, apiKeyId, connectionId, decision };
    if (ring.kept.length < KEPT) ring.kept.push(logged);
    else {
      ring.kept[ring.oldest] = logged;
      ring.oldest = (ring.oldest + 1) % KEPT;
    }
    connections.delete(connectionId);
    connections.set(connectionId, ring);
    const [quietest] = connections.keys();
    if (connections.size > MAX_CONNECTIONS) connections.delete(quietest!);
  }

  return {
    watchRoom: (room) => ({
      ...room,
      async admit(request, patience) {
        const admitted = await room.admit(request, patience);
        const kept = worthKeeping(admitted.decision);
        if (kept !== undefined) keep(request, kept);
        return admitted;
      },
      get waiting() {
        return room.waiting;
      },
    }),
    newest({ connectionId, apiKeyId } = {}) {
      let found: readonly LoggedDecision[] = [];
      const asked =
        connectionId === undefined ? [...connections.values()] : [connections.get(connectionId) ?? NOTHING];
      for (const ring of asked.reverse()) {
        const all = newestFirst(ring);
        // What the connections behind this one have kept is older still.
        if (found.length === KEPT && found.at(-1)!.sequence > (all[0]?.sequence ?? 0)) break;
        found = merged(
          found,
          apiKeyId === undefined ? all : all.filter((logged) => logged.apiKeyId === apiKeyId),
        );
      }
      return found;
    },
    refusalsLastHour: () => refusals.within(clock.now()),
  };
}

/** The newest decisions of one connection, written over from the oldest on. */
interface Ring {
  readonly kept: LoggedDecision[];
  /** Where the oldest lies, once it is full. */
  oldest: number;
}

const NOTHING: Ring = { kept: [], oldest: 0 };

function newestFirst({ kept, oldest }: Ring): readonly LoggedDecision[] {
  return [...kept.slice(oldest), ...kept.slice(0, oldest)].reverse();
}

function merged(a: readonly LoggedDecision[], b: readonly LoggedDecision[]): readonly LoggedDecision[] {
  return [...a, ...b].sort((one, other) => other.sequence - one.sequence).slice(0, KEPT);
}

/** Undefined for what needs no explanation. The store's own words stay where they were said. */
function worthKeeping(decision: RatedAdmission["decision"]): LoggedDecision["decision"] | undefined {
  switch (decision.status) {
    case "refused":
      return decision;
    case "unjudged":
    case "unavailable":
      return { ...decision, cause: undefined };
    case "allowed":
    case "deprioritized":
    case "ungoverned":
      return undefined;
  }
}
