import type { Logger } from "./quotaEngine.js";

/** How long after it was said that something fails it is not said again. */
const QUIET_MS = 1000;

/**
 * For what nothing depends on: work that fails answers undefined, and a logger hears of it, once a second at most.
 *
 * @param what Cannot be read or written: "What is known of deployments".
 */
export function leniently({
  logger,
  scope,
  what,
}: {
  readonly logger: Logger | undefined;
  readonly scope: string;
  readonly what: string;
}): <Result>(work: () => Promise<Result>) => Promise<Result | undefined> {
  let quietUntil = -Infinity;
  return async (work) => {
    try {
      return await work();
    } catch (err) {
      if (performance.now() >= quietUntil) {
        quietUntil = performance.now() + QUIET_MS;
        logger?.warn(
          { scope, err },
          `${what} could not be read or written just now; gateways go on without.`,
        );
      }
      return undefined;
    }
  };
}
