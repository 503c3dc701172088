import type { IncomingMessage, ServerResponse } from "node:http";

/**
 * How a response ended. `finished`: all of it was handed to the system. `client-left`: the client closed or lost its connection before.
 * `destroyed`: this side cut it off (a throw after the headers, a time-out of the server, `response.destroy()`).
 */
export type ResponseEnd = "finished" | "client-left" | "destroyed";

/**
 * Calls back when a response is over, be it whole or cut off. Node closes every response that has a connection, in the turn of its `finish` too,
 * so `close` is all there is to listen for. It may call more than once.
 */
export function onResponseOver(
  { request, response }: { readonly request: IncomingMessage; readonly response: ServerResponse },
  over: (end: ResponseEnd) => void,
): void {
  if (response.socket !== null) {
    response.on("close", () => over(endOf(request, response)));
    return;
  }
  // A pipelined response has no connection of its own yet, and is told nothing if it never gets one.
  const { socket } = request;
  const closed = (): void => {
    response.off("close", closed);
    socket.off("close", closed);
    over(endOf(request, response));
  };
  response.on("close", closed);
  socket.on("close", closed);
}

function endOf({ socket }: IncomingMessage, response: ServerResponse): ResponseEnd {
  if (response.writableFinished) return "finished";
  const { code } = (socket.errored ?? {}) as { readonly code?: unknown };
  const hasClientLeft =
    socket.readableEnded || code === "ECONNRESET" || code === "EPIPE" || code === "ETIMEDOUT";
  return hasClientLeft ? "client-left" : "destroyed";
}
