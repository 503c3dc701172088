import { ServerResponse } from "node:http";

/** Is shown what a response is given to send: what may be a chunk, and its encoding. */
export type Look = (chunk: unknown, encoding: unknown) => void;

/**
 * Shows what a response is given to send, on its way through `write` and `end`. Whoever writes gets the return values (back-pressure) and
 * callbacks of the methods that were there before, with the arguments as they were.
 *
 * Express changes the prototype of every response, after which V8 takes microseconds to add a member to it: more than all the rest of a
 * request's way through here. So the methods that all responses of Express share are wrapped, once, and find out who looks at theirs. A
 * response that has a `write` or an `end` of its own already (compression), or is not Express's, gets wrapped methods of its own.
 */
export function tapResponse(response: ServerResponse, look: Look): void {
  const shared =
    Object.hasOwn(response, "write") || Object.hasOwn(response, "end") ? undefined : sharedMethods(response);
  if (shared === undefined) {
    const tap: Tap = { look, outer: undefined, isEnding: false };
    wrapMethods(response, () => tap);
    return;
  }
  if (!Object.hasOwn(shared, WRAPPED)) {
    wrapMethods(shared, (written) => TAPS.get(written));
    Object.defineProperty(shared, WRAPPED, { value: true });
  }
  TAPS.set(response, { look, outer: TAPS.get(response), isEnding: false });
}

interface Tap {
  readonly look: Look;
  /** Whoever looks besides. */
  readonly outer: Tap | undefined;
  /** Some `end`s write the last chunk through `write`; it is one chunk all the same. */
  isEnding: boolean;
}

const TAPS = new WeakMap<ServerResponse, Tap>();
const WRAPPED = Symbol("quota");

/** `express.response`: what stands right above Node's own prototype. */
function sharedMethods(response: ServerResponse): ServerResponse | undefined {
  let shared: ServerResponse | undefined;
  let prototype = Object.getPrototypeOf(response) as ServerResponse | null;
  while (prototype !== null && prototype !== ServerResponse.prototype) {
    shared = prototype;
    prototype = Object.getPrototypeOf(prototype) as ServerResponse | null;
  }
  return prototype === null ? undefined : shared;
}

function wrapMethods(methods: ServerResponse, tapOf: (written: ServerResponse) => Tap | undefined): void {
  const write = methods.write as (...args: unknown[]) => boolean;
  const end = methods.end as (...args: unknown[]) => ServerResponse;

  methods.write = function tappedWrite(this: ServerResponse, ...args: unknown[]): boolean {
    for (let tap = tapOf(this); tap !== undefined; tap = tap.outer)
      if (!tap.isEnding) tap.look(args[0], args[1]);
    return write.apply(this, args);
  } as ServerResponse["write"];
  methods.end = function tappedEnd(this: ServerResponse, ...args: unknown[]): ServerResponse {
    for (let tap = tapOf(this); tap !== undefined; tap = tap.outer) {
      if (!tap.isEnding) tap.look(args[0], args[1]);
      tap.isEnding = true;
    }
    return end.apply(this, args);
  } as ServerResponse["end"];
}
