import type { RequestHandler } from "express";
import type { Logger } from "pino";
import { requestIdOf } from "./failures.js";
import type { ProxyLocals } from "./requestContext.js";

/** One line per request at level `debug`, when its answer is over. No header, body or query is in it: they hold secrets and prompts. */
export function logRequests(log: Logger): RequestHandler {
  return (request, response, next) => {
    if (!log.isLevelEnabled("debug")) return next();
    const startedAt = performance.now();
    const { method, path } = request;
    response.once("close", () => {
      log.debug(
        {
          requestId: requestIdOf(response),
          method,
          path,
          status: response.headersSent ? response.statusCode : "none",
          whole: response.writableFinished,
          ms: Math.round(performance.now() - startedAt),
          // Whose it was, by its id: `pnpm simulate --record` makes traffic of these lines.
          apiKeyId: (response.locals as ProxyLocals).apiKey?.id,
        },
        "answered",
      );
    });
    next();
  };
}
