/** A refusal's reason in a word or two, for tables. */
export function reasonText(reason: string): string {
  return REASONS.get(reason) ?? reason;
}

/** Where the code alone would leave one guessing. */
const REASONS: ReadonlyMap<string, string> = new Map([["reserved", "reserved for others"]]);
