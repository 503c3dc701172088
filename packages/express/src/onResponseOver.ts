import type { IncomingMessage, ServerResponse } from "node:http";

/**
 * How a response ended. `finished`: all of it was handed to the system. `client-left`: the client closed or lost its connection before.
 * `destroyed`: this side cut it off (a throw after the headers, a time-out of the server, `response.destroy()`).
 */
export type ResponseEnd = "finished" | "client-left" | "destroyed";

/**
 * Calls back when a response is over: at its `finish` or, if that never comes, when its connection closes. It may call more than once.
 * Returned: stop listening.
 */
export function onResponseOver(
  { request, response }: { readonly request: IncomingMessage; readonly response: ServerResponse },
  over: (end: ResponseEnd) => void,
): () => void {
  const { socket } = request;
  const finished = (): void => over("finished");
  const closed = (): void => {
    stop();
    over(response.writableFinished ? "finished" : hasClientLeft(request) ? "client-left" : "destroyed");
  };
  // A pipelined response has no connection of its own yet, and is told nothing if it never gets one.
  const isQueued = response.socket === null;
  response.on("finish", finished);
  response.on("close", closed);
  if (isQueued) socket.on("close", closed);

  function stop(): void {
    response.off("finish", finished);
    response.off("close", closed);
    if (isQueued) socket.off("close", closed);
  }
  return stop;
}

function hasClientLeft({ socket }: IncomingMessage): boolean {
  const { code } = (socket.errored ?? {}) as { readonly code?: unknown };
  return socket.readableEnded || code === "ECONNRESET" || code === "EPIPE" || code === "ETIMEDOUT";
}
