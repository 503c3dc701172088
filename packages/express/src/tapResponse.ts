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
  // Some `end`s write the last chunk through `write`; it is one chunk all the same.
  let isEnding = false;
  const see: See = (chunk, encoding, isLast) => {
    if (!isEnding) look(chunk, encoding);
    isEnding ||= isLast;
  };
  const hasItsOwn = Object.hasOwn(response, "write") || Object.hasOwn(response, "end");
  const shared = hasItsOwn ? undefined : sharedMethods(response);
  if (shared === undefined) return wrapMethods(response, see);
  if (!Object.hasOwn(shared, PASSING)) {
    wrapMethods(shared, tellWhoLooks);
    Object.defineProperty(shared, PASSING, { value: true });
  }
  // A WeakMap would be found as fast, but keeps what it holds through every minor collection.
  response.on(PASSING, see);
}

type See = (this: ServerResponse, chunk: unknown, encoding: unknown, isLast: boolean) => void;

/** The event of a response that is given something to send; on the shared methods, the mark that they are wrapped. */
const PASSING = Symbol("quota.passing");

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

function tellWhoLooks(this: ServerResponse, chunk: unknown, encoding: unknown, isLast: boolean): void {
  this.emit(PASSING, chunk, encoding, isLast);
}

function wrapMethods(methods: ServerResponse, see: See): void {
  const write = methods.write as (...args: unknown[]) => boolean;
  const end = methods.end as (...args: unknown[]) => ServerResponse;

  methods.write = function tappedWrite(this: ServerResponse, ...args: unknown[]): boolean {
    see.call(this, args[0], args[1], false);
    return write.apply(this, args);
  } as ServerResponse["write"];
  methods.end = function tappedEnd(this: ServerResponse, ...args: unknown[]): ServerResponse {
    see.call(this, args[0], args[1], true);
    return end.apply(this, args);
  } as ServerResponse["end"];
}
