/** A value, or the promise of one: a port that has the answer at hand need not make every request wait a turn for it. */
export type Awaitable<Value> = Value | Promise<Value>;

/** Whether the answer is still to come. */
export function isPending<Value>(answer: Awaitable<Value>): answer is Promise<Value> {
  return typeof (answer as Partial<Promise<Value>> | undefined)?.then === "function";
}
