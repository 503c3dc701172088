/** Numbers of names, kept at hand. */
export interface NumberedNames {
  numberOf(name: string): number;
  /** Whatever is at hand may not be in the file. */
  forget(): void;
}

/** How many are kept at hand; then all are dropped, and read again as they are asked for. */
const MOST_NAMES = 50_000;

export function numberedNames(
  find: (name: string) => number | undefined,
  open: (name: string) => number | bigint,
): NumberedNames {
  const numbers = new Map<string, number>();
  return {
    numberOf(name) {
      const known = numbers.get(name);
      if (known !== undefined) return known;
      const number = find(name) ?? Number(open(name));
      if (numbers.size >= MOST_NAMES) numbers.clear();
      numbers.set(name, number);
      return number;
    },
    forget: () => numbers.clear(),
  };
}
