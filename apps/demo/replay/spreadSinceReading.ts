/** The plain way, for comparison: each reading's rise is spread by demand since the last reading, whether that rose or not. */
export interface SpreadSinceReading {
  add(key: string, demand: number): void;
  /** @param rise in percent points. */
  read(rise: number): void;
  restart(): void;
  readonly parts: ReadonlyMap<string, number>;
}

export function spreadSinceReading(): SpreadSinceReading {
  const demands = new Map<string, number>();
  const parts = new Map<string, number>();
  return {
    parts,
    add(key, demand) {
      demands.set(key, (demands.get(key) ?? 0) + demand);
    },
    read(rise) {
      const sum = [...demands.values()].reduce((total, demand) => total + demand, 0);
      if (rise > 0 && sum > 0)
        for (const [key, demand] of demands) parts.set(key, (parts.get(key) ?? 0) + (rise * demand) / sum);
      demands.clear();
    },
    restart() {
      parts.clear();
    },
  };
}
