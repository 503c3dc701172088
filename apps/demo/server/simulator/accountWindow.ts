import type { AccountSettings, WindowTerms } from "./accountSettings.js";
import { tokenPrice, type TokenCounts } from "./tokenPrice.js";

/** What somebody used, at one moment. */
export interface Use {
  readonly requests: number;
  readonly tokens: TokenCounts;
  readonly model: string;
  /** Who: a request's tag, or the account's owner himself. */
  readonly by: { readonly tag: string } | "outside";
}

/** A window's own books. All amounts in its unit; of a percentage in priced tokens. */
export interface AccountWindow {
  readonly used: number;
  readonly outside: number;
  readonly byTag: ReadonlyMap<string, number>;
  /** Undefined: it waits for its first use. */
  readonly openedAt: number | undefined;
  readonly finished: readonly FinishedWindow[];
}

/** A window that is over, as it was when it ended. */
export interface FinishedWindow {
  readonly openedAt: number;
  readonly endedAt: number;
  readonly used: number;
  readonly outside: number;
  readonly byTag: ReadonlyMap<string, number>;
}

export interface WindowKeeper {
  /** Of now, not a copy. */
  at(terms: WindowTerms, now: number): AccountWindow;
  /** Opens it where it waited. */
  add(
    use: { readonly amount: number; readonly by: Use["by"]; readonly terms: WindowTerms },
    now: number,
  ): void;
  /** Begins anew, before its time. */
  restart(terms: WindowTerms, now: number): void;
}

/** Keeps one window through its turns; of those that ended the last 1000. */
export function keepWindow(): WindowKeeper {
  const finished: FinishedWindow[] = [];
  let current: Open | undefined;
  /** Of a fixed window: where its turns begin, once it was begun anew. */
  let anchor: number | undefined;

  const finish = (endedAt: number): void => {
    if (current !== undefined && current.used > 0) finished.push({ ...current, endedAt });
    finished.splice(0, Math.max(0, finished.length - 1000));
    current = undefined;
  };

  /** The window that counts now, where one is open. */
  const roll = ({ lengthMs, starts }: WindowTerms, now: number): Open | undefined => {
    if (current !== undefined && now >= current.openedAt + lengthMs) finish(current.openedAt + lengthMs);
    if (starts === "first-use" || current !== undefined) return current;
    const from = anchor ?? starts.from;
    return (current = opened(from + Math.floor((now - from) / lengthMs) * lengthMs));
  };

  return {
    at(terms, now) {
      const open = roll(terms, now);
      const { used, outside, byTag } = open ?? opened(now);
      return { used, outside, byTag, openedAt: open?.openedAt, finished };
    },
    add({ amount, by, terms }, now) {
      const open = roll(terms, now) ?? (current = opened(now));
      open.used += amount;
      if (by === "outside") open.outside += amount;
      else open.byTag.set(by.tag, (open.byTag.get(by.tag) ?? 0) + amount);
    },
    restart(terms, now) {
      roll(terms, now);
      finish(now);
      anchor = now;
    },
  };
}

/** What a use counts in a window. */
export function amountOf(
  { requests, tokens, model }: Omit<Use, "by">,
  { unit, model: only }: WindowTerms,
  { prices }: AccountSettings,
): number {
  if (only !== undefined && !model.includes(only)) return 0;
  const { input, cachedInput, cacheWrite, output } = tokens;
  switch (unit) {
    case "requests":
      return requests;
    case "tokens":
      return input + cachedInput + cacheWrite + output;
    case "input-tokens":
      return input + cacheWrite;
    case "output-tokens":
      return output;
    case "percent":
      return tokenPrice(tokens, { prices, model });
    case "usd":
      return tokenPrice(tokens, { prices, model }) * dollarsPerPricedToken;
  }
}

/** A million tokens of fresh input for a dollar. */
const dollarsPerPricedToken = 1e-6;

interface Open {
  readonly openedAt: number;
  used: number;
  outside: number;
  readonly byTag: Map<string, number>;
}

function opened(openedAt: number): Open {
  return { openedAt, used: 0, outside: 0, byTag: new Map() };
}
