import type { AccountSettings, WindowTerms } from "./accountSettings.js";
import {
  percentOf,
  showWindow,
  type AccountRefusal,
  type AccountView,
  type ShownWindow,
} from "./accountView.js";
import { amountOf, keepWindow, type AccountWindow, type Use, type WindowKeeper } from "./accountWindow.js";
import { noTokens } from "./tokenPrice.js";

/** What the owner does with his account himself: so many tokens of fresh input, or a part of the shortest window that counts tokens. */
export type OutsideUse = { readonly tokens: number } | { readonly percent: number };

/** The provider's own books of one credential. */
export interface Account {
  settings(): AccountSettings;
  /** Lays changes over the settings of this account alone. */
  configure(changes: Partial<AccountSettings>): void;
  /** Whether a request would be refused, without counting it. */
  judge(
    asked: { readonly model: string; readonly inputTokens: number; readonly retryAfterMs: number },
    now: number,
  ): AccountRefusal | undefined;
  /** Output is counted as it is written: the last answer of a window may pass its limit, the next request may not. */
  count(use: Use, now: number): void;
  useOutside(use: OutsideUse, now: number): void;
  /** One window, or all, begin anew before their time. */
  resetEarly(window: string | undefined, now: number): void;
  /** Times all limits: the same use is a smaller percentage. */
  changePlan(factor: number): void;
  /** As the provider tells of it. */
  view(now: number): AccountView;
  /** As it is. */
  truth(now: number): readonly TrueWindow[];
}

/** A window as it really is. */
export interface TrueWindow extends AccountWindow {
  readonly name: string;
  readonly unit: WindowTerms["unit"];
  readonly limit: number;
  /** Exact. */
  readonly percent: number;
  /** By a true clock; of a window that waits for its first use, what it would be now. */
  readonly resetsAt: number;
}

/** Keeps one account. `settings` is asked each time, so that what lies under the account's own changes may change too. */
export function createAccount(base: () => AccountSettings): Account {
  const keepers = new Map<string, WindowKeeper>();
  let own: Partial<AccountSettings> = {};

  const settings = (): AccountSettings => ({ ...base(), ...own });
  const keeperOf = ({ name }: WindowTerms): WindowKeeper => {
    const keeper = keepers.get(name) ?? keepWindow();
    keepers.set(name, keeper);
    return keeper;
  };
  const shown = (terms: WindowTerms, now: number): ShownWindow =>
    showWindow({ terms, books: keeperOf(terms).at(terms, now), settings: settings() }, now);
  const count: Account["count"] = (use, now) => {
    const current = settings();
    for (const terms of current.windows) {
      const amount = amountOf(use, terms, current);
      if (amount > 0) keeperOf(terms).add({ amount, by: use.by, terms }, now);
    }
  };

  return {
    settings,
    configure(changes) {
      own = { ...own, ...changes };
    },
    judge({ model, inputTokens, retryAfterMs }, now) {
      const current = settings();
      const { refusing, clockOffsetMs } = current;
      if (refusing === "overage" || (refusing !== "nothing" && model.includes(refusing.model))) {
        const cause = refusing === "overage" ? "overage" : "model";
        return { cause, model, window: spentWindow({ cause, retryAfterMs }, now + clockOffsetMs) };
      }
      const asked = { requests: 1, tokens: { ...noTokens(), input: inputTokens }, model };
      const spent = current.windows
        .filter((terms) => isSpent(terms, keeperOf(terms).at(terms, now), amountOf(asked, terms, current)))
        .map((terms) => shown(terms, now))
        .sort((one, other) => one.resetsAt - other.resetsAt)
        .at(-1);
      if (spent === undefined) return undefined;
      return {
        cause: spent.model === undefined ? "window" : "model",
        model,
        window: { ...spent, percent: 100 },
      };
    },
    count,
    useOutside(use, now) {
      const tokens = "tokens" in use ? use.tokens : tokensOf(use.percent, settings());
      const { input } = settings().prices;
      count({ requests: 1, tokens: { ...noTokens(), input: tokens / input }, model: "", by: "outside" }, now);
    },
    resetEarly(window, now) {
      for (const terms of settings().windows)
        if (window === undefined || window === terms.name) keeperOf(terms).restart(terms, now);
    },
    changePlan(factor) {
      const windows = settings().windows.map((terms) => ({ ...terms, limit: terms.limit * factor }));
      own = { ...own, windows };
    },
    view(now) {
      const { windows, planType, shape, clockOffsetMs } = settings();
      return {
        now: now + clockOffsetMs,
        planType,
        shape,
        windows: windows
          .map((terms) => shown(terms, now))
          .sort((one, other) => one.lengthMs - other.lengthMs),
      };
    },
    truth: (now) =>
      settings().windows.map((terms) => {
        const books = keeperOf(terms).at(terms, now);
        const { name, unit, limit, lengthMs } = terms;
        const resetsAt = (books.openedAt ?? now) + lengthMs;
        return {
          ...books,
          byTag: new Map(books.byTag),
          finished: [...books.finished],
          name,
          unit,
          limit,
          percent: percentOf(books.used, limit),
          resetsAt,
        };
      }),
  };
}

/** A percentage is spent when it is full; of what is counted one by one, nothing may pass the limit. */
function isSpent(
  { unit, limit, enforced = true, model }: WindowTerms,
  { used }: AccountWindow,
  cost: number,
): boolean {
  if (!enforced || (model !== undefined && cost === 0)) return false;
  const isWhole = unit !== "percent" && unit !== "usd";
  return used >= limit || (isWhole && used + cost > limit);
}

/** What is shown of a limit that is in no book: a model's, the overage's. */
function spentWindow(
  { cause, retryAfterMs }: { readonly cause: string; readonly retryAfterMs: number },
  now: number,
): ShownWindow {
  const span = { lengthMs: retryAfterMs, opensAt: now, resetsAt: now + retryAfterMs, isOpen: true };
  return { name: cause, unit: "percent", limit: 100, used: 100, percent: 100, model: undefined, ...span };
}

function tokensOf(percent: number, { windows }: AccountSettings): number {
  const [shortest] = windows
    .filter(({ unit, model }) => (unit === "percent" || unit === "tokens") && model === undefined)
    .sort((one, other) => one.lengthMs - other.lengthMs);
  if (shortest === undefined)
    throw new RangeError("this account counts no tokens of which a part could be used");
  return (shortest.limit * percent) / 100;
}
