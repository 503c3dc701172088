/**
 * One request and its answer, as a fixture keeps them. `events` is a stream (a string is sent as it stands, an object as
 * JSON), `body` a JSON answer; one of the two. Header names are as they were on the wire.
 */
export interface RecordedExchange {
  /** Chosen with `x-simulate-replay: NAME` when several exchanges have the same path. */
  readonly name: string;
  readonly request: {
    readonly method: string;
    /** Without the query. */
    readonly path: string;
    readonly query?: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body?: unknown;
  };
  readonly answer: {
    readonly status: number;
    readonly headers: Readonly<Record<string, string>>;
    readonly events?: readonly RecordedEvent[];
    readonly body?: unknown;
  };
}

export interface RecordedEvent {
  readonly event?: string;
  readonly data: unknown;
}

/** What a fixture file holds. */
export interface RecordedTurn {
  readonly description: string;
  readonly exchanges: readonly RecordedExchange[];
}

/** The exchange a request meets: by name if one is asked for, else the first with its method and path. */
export function findExchange(
  exchanges: readonly RecordedExchange[],
  wanted: { readonly method: string; readonly path: string; readonly name: string | undefined },
): RecordedExchange | undefined {
  return exchanges.find(
    ({ name, request }) =>
      request.method === wanted.method && request.path === wanted.path && (wanted.name ?? name) === name,
  );
}
