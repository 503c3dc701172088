import type { RequestHandler, Response } from "express";
import { fail } from "./failures.js";

/** The requests that are being answered, and the gate that closes when the gateway stops. */
export interface InFlight {
  /** Lets requests through and counts them until their answers end; after `stop`, answers 503. */
  readonly gate: RequestHandler;
  isStopping(): boolean;
  /** Refuses whatever is new. Resolves when the last answer has ended, or `graceMs` have passed, with those that have not ended. */
  stop(graceMs: number): Promise<readonly Response[]>;
  /** Ends the grace of a stop that is on its way. */
  hurry(): void;
}

export function createInFlight(): InFlight {
  const open = new Set<Response>();
  let stopping = false;
  let endGrace: (() => void) | undefined;

  return {
    isStopping: () => stopping,
    gate(request, response, next) {
      if (stopping) {
        response.set("connection", "close");
        fail(request, response, {
          status: 503,
          code: "shutting_down",
          message: "The gateway is stopping; try again in a moment.",
          headers: { "retry-after": "5" },
        });
        return;
      }
      open.add(response);
      response.once("close", () => {
        open.delete(response);
        if (open.size === 0) endGrace?.();
      });
      next();
    },
    stop(graceMs) {
      stopping = true;
      if (open.size === 0) return Promise.resolve([]);
      return new Promise((resolve) => {
        const timer = setTimeout(() => endGrace?.(), graceMs);
        endGrace = () => {
          clearTimeout(timer);
          resolve([...open]);
        };
      });
    },
    hurry: () => endGrace?.(),
  };
}
