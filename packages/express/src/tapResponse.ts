import type { ServerResponse } from "node:http";

/**
 * Shows the bytes of a response to `see` on their way through `write` and `end`. Whoever writes gets the return values (back-pressure)
 * and callbacks of the methods that were there before, with the arguments as they were.
 */
export function tapResponse(response: ServerResponse, see: (chunk: Uint8Array) => void): void {
  const write = response.write.bind(response) as (...args: unknown[]) => boolean;
  const end = response.end.bind(response) as (...args: unknown[]) => ServerResponse;
  // Some `end`s write the last chunk through `write`; it is one chunk all the same.
  let isEnding = false;

  response.write = function tappedWrite(...args: unknown[]): boolean {
    if (!isEnding) look(args);
    return write(...args);
  } as ServerResponse["write"];
  response.end = function tappedEnd(...args: unknown[]): ServerResponse {
    if (!isEnding) look(args);
    isEnding = true;
    return end(...args);
  } as ServerResponse["end"];

  function look([chunk, encoding]: readonly unknown[]): void {
    if (chunk instanceof Uint8Array) see(chunk);
    else if (typeof chunk === "string")
      see(Buffer.from(chunk, typeof encoding === "string" ? (encoding as BufferEncoding) : "utf8"));
  }
}
