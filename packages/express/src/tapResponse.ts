import type { ServerResponse } from "node:http";

/**
 * Shows what a response is given to send to `look` on its way through `write` and `end`: what may be a chunk and its encoding. Whoever
 * writes gets the return values (back-pressure) and callbacks of the methods that were there before, with the arguments as they were.
 */
export function tapResponse(
  response: ServerResponse,
  look: (chunk: unknown, encoding: unknown) => void,
): void {
  const write = response.write as (...args: unknown[]) => boolean;
  const end = response.end as (...args: unknown[]) => ServerResponse;
  // Some `end`s write the last chunk through `write`; it is one chunk all the same.
  let isEnding = false;

  response.write = function tappedWrite(...args: unknown[]): boolean {
    if (!isEnding) look(args[0], args[1]);
    return write.apply(response, args);
  } as ServerResponse["write"];
  response.end = function tappedEnd(...args: unknown[]): ServerResponse {
    if (!isEnding) look(args[0], args[1]);
    isEnding = true;
    return end.apply(response, args);
  } as ServerResponse["end"];
}
