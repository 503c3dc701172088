/** Whether the gateway answered when it was last asked. */
export interface LostConnection {
  lose(): void;
  recover(): void;
  isLost(): boolean;
  /** Called whenever that changes; the answer ends it. */
  subscribe(changed: () => void): () => void;
}

export function createLostConnection(): LostConnection {
  const watching = new Set<() => void>();
  let isLost = false;
  const say = (now: boolean): void => {
    if (now === isLost) return;
    isLost = now;
    for (const changed of watching) changed();
  };
  return {
    lose: () => say(true),
    recover: () => say(false),
    isLost: () => isLost,
    subscribe(changed) {
      watching.add(changed);
      return () => void watching.delete(changed);
    },
  };
}
