import type { TrueWindow } from "./account.js";
import type { AccountName } from "./accounts.js";

/** What happened so far. A snapshot: it does not change after it was taken. */
export interface SimulatorState {
  readonly requests: RequestCounts;
  readonly paths: ReadonlyMap<string, RequestCounts>;
  /** What the provider's own books have, unrounded, in the order in which the accounts were first used. */
  readonly accounts: readonly AccountState[];
  /** Input tokens of accepted requests; output tokens of what was really written, also of answers that broke off. */
  readonly tokens: { readonly input: number; readonly output: number };
  /** Requests that were received and are not finished. */
  readonly openRequests: number;
  /** Streams that have begun and not ended. */
  readonly openStreams: number;
  /** Streams that wait right now for a slow reader to take what was written. */
  readonly blockedStreams: number;
  /** Answers held by the option `pause`. */
  readonly pausedAnswers: number;
  /** The newest last, at most `keepRequests`. */
  readonly lastRequests: readonly SeenRequest[];
}

export interface AccountState extends AccountName {
  readonly windows: readonly TrueWindow[];
}

/** Every request that was decided is exactly one of accepted, refused, rejected, failed and redirected. */
export interface RequestCounts {
  readonly seen: number;
  readonly accepted: number;
  /** 429 of the provider's own quota. */
  readonly refused: number;
  /** 400, 401, 404: the request itself was wrong. */
  readonly rejected: number;
  /** Met an injected failure (one that breaks off half-way included). */
  readonly failed: number;
  readonly redirected: number;
  /** The client hung up before its answer was complete. */
  readonly aborted: number;
}

export type Outcome = "accepted" | "refused" | "rejected" | "failed" | "redirected";

/** A request as it arrived, credentials included: keep these out of logs. */
export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  /** Names in lower case; a header that came several times is joined with ", ". */
  readonly headers: Readonly<Record<string, string>>;
  /** The body as text; bodies over 1 MiB are not kept. */
  readonly body: string;
  readonly bodyBytes: number;
  readonly outcome: Outcome | "undecided";
  readonly aborted: boolean;
}

/** The mutable side of {@link SimulatorState}. */
export interface StateKeeper {
  arrive(request: Pick<SeenRequest, "method" | "path" | "query" | "headers">, keep: number): RequestRecord;
  count(gauge: Gauge, by: number): void;
  /** Something else than requests and gauges is another now. */
  changed(): void;
  /** The state as it is whenever it is looked at. A copy of its fields is a snapshot. */
  view(accounts: () => readonly AccountState[]): SimulatorState;
  /** Called after every change until it returns true. */
  watch(watcher: () => boolean): void;
}

export interface RequestRecord {
  received(body: Buffer): void;
  decide(outcome: Outcome): void;
  abort(): void;
}

export type Gauge = "input" | "output" | "openRequests" | "openStreams" | "blockedStreams" | "pausedAnswers";

export function keepState(): StateKeeper {
  const total = noRequests();
  const paths = new Map<string, Counts>();
  const requests: { -readonly [Field in keyof SeenRequest]: SeenRequest[Field] }[] = [];
  const gauges = {
    input: 0,
    output: 0,
    openRequests: 0,
    openStreams: 0,
    blockedStreams: 0,
    pausedAnswers: 0,
  };
  const watchers = new Set<() => boolean>();

  const changed = (): void => {
    for (const watcher of [...watchers]) if (watcher()) watchers.delete(watcher);
  };

  return {
    arrive(request, keep) {
      // Unknown paths are an attacker's to choose; they share one line.
      const path = paths.size < 1000 || paths.has(request.path) ? request.path : "other";
      const counts = paths.get(path) ?? noRequests();
      paths.set(path, counts);
      const record = {
        ...request,
        body: "",
        bodyBytes: 0,
        outcome: "undecided" as SeenRequest["outcome"],
        aborted: false,
      };
      requests.push(record);
      requests.splice(0, Math.max(0, requests.length - keep));
      const bump = (field: keyof RequestCounts): void => {
        total[field] += 1;
        counts[field] += 1;
        changed();
      };
      bump("seen");
      return {
        received(body) {
          record.bodyBytes = body.length;
          record.body = body.length > 1_048_576 ? "" : body.toString();
        },
        decide(outcome) {
          record.outcome = outcome;
          bump(outcome);
        },
        abort() {
          record.aborted = true;
          bump("aborted");
        },
      };
    },
    count(gauge, by) {
      gauges[gauge] += by;
      changed();
    },
    changed,
    // Who waits for a state asks after every change, for one field or two: the others are not worth a copy.
    view: (accounts) => ({
      get requests() {
        return { ...total };
      },
      get paths() {
        return new Map([...paths].map(([path, counts]) => [path, { ...counts }]));
      },
      get accounts() {
        return accounts();
      },
      get tokens() {
        return { input: gauges.input, output: gauges.output };
      },
      get openRequests() {
        return gauges.openRequests;
      },
      get openStreams() {
        return gauges.openStreams;
      },
      get blockedStreams() {
        return gauges.blockedStreams;
      },
      get pausedAnswers() {
        return gauges.pausedAnswers;
      },
      get lastRequests() {
        return requests.map((request) => ({ ...request }));
      },
    }),
    watch(watcher) {
      if (!watcher()) watchers.add(watcher);
    },
  };
}

type Counts = { -readonly [Field in keyof RequestCounts]: RequestCounts[Field] };

function noRequests(): Counts {
  return { seen: 0, accepted: 0, refused: 0, rejected: 0, failed: 0, redirected: 0, aborted: 0 };
}
