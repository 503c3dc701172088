/**
 * Waits for a store, but no longer than `ms`.
 *
 * @param patience.late is told what comes after that.
 * @throws what `error` makes, when it takes longer: whether anything was written is unknown.
 */
export function withinTime<Result>(
  work: Promise<Result>,
  {
    ms,
    late,
    error,
  }: {
    readonly ms: number;
    readonly late?: ((result: Result) => void) | undefined;
    readonly error: () => Error;
  },
): Promise<Result> {
  return new Promise<Result>((resolve, reject) => {
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      reject(error());
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
