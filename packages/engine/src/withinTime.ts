import { RatesUnavailableError } from "./ratesUnavailableError.js";

/**
 * Waits for the store, but no longer than `ms`.
 *
 * @param patience.late is told what comes after that.
 * @throws {RatesUnavailableError} `applied: "unknown"`, when it takes longer.
 */
export function withinTime<Result>(
  work: Promise<Result>,
  { ms, late }: { readonly ms: number; readonly late?: ((result: Result) => void) | undefined },
): Promise<Result> {
  return new Promise<Result>((resolve, reject) => {
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      const message = `The usage store did not answer within ${String(ms)} ms.`;
      reject(new RatesUnavailableError(message, { applied: "unknown" }));
    }, ms);
    work.then(
      (result) => {
        clearTimeout(timer);
        if (isLate) late?.(result);
        else resolve(result);
      },
      (cause: unknown) => {
        clearTimeout(timer);
        reject(cause instanceof Error ? cause : new Error(String(cause)));
      },
    );
  });
}
