/** A place where answers wait until somebody opens; it closes again behind those who waited. */
export interface Gate {
  /** Resolves at the next opening, or when the signal is aborted. */
  wait(gone: AbortSignal): Promise<void>;
  open(): void;
}

export function createGate(): Gate {
  const waiting = new Set<() => void>();
  return {
    wait: (gone) =>
      new Promise((resolve) => {
        const go = (): void => {
          waiting.delete(go);
          gone.removeEventListener("abort", go);
          resolve();
        };
        if (gone.aborted) {
          resolve();
          return;
        }
        waiting.add(go);
        gone.addEventListener("abort", go);
      }),
    open: () => {
      for (const go of [...waiting]) go();
    },
  };
}
