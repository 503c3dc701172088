import type { Unit } from "@quota/core";

/** A unit's amount in the reader's locale: `412,000 tokens`, `37.5 %`, `$1.25`. */
export function amountText(unit: Unit, amount: number): string {
  switch (unit) {
    case "percent":
      return percentText(amount / 100);
    case "usd":
      return dollars.format(amount);
    case "requests":
    case "tokens":
      return `${wholeText(amount)} ${Math.round(amount) === 1 ? unit.slice(0, -1) : unit}`;
  }
}

/** The same without the unit's name, for columns that say it once. */
export function bareAmountText(unit: Unit, amount: number): string {
  return unit === "requests" || unit === "tokens" ? wholeText(amount) : amountText(unit, amount);
}

/** A number of whole things; fading windows leave fractions of them, and these are of no interest. */
export function wholeText(amount: number): string {
  return wholes.format(amount);
}

/** A plain number, to the two decimals that a person types. */
export function numberText(number: number): string {
  return numbers.format(number);
}

/** A part of one: 0.375 is `37.5 %`. */
export function percentText(part: number): string {
  return percents.format(part);
}

/** How long, in the two largest units that say something: `3 h 12 min`, `45 s`. */
export function durationText(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / 1000));
  const parts = SPANS.map(([length, name], i) => {
    const longer = i === 0 ? Number.POSITIVE_INFINITY : SPANS[i - 1]![0];
    return { count: Math.floor((seconds % longer) / length), name };
  });
  const first = parts.findIndex(({ count }) => count > 0);
  if (first < 0) return durations.format(0, "second");
  return parts
    .slice(first, first + 2)
    .filter(({ count }, i) => i === 0 || count > 0)
    .map(({ count, name }) => durations.format(count, name))
    .join(" ");
}

/** A moment in the reader's zone: the time alone today, with the date on other days. */
export function momentText(at: number): string {
  const isToday = dates.format(at) === dates.format(Date.now());
  return isToday ? times.format(at) : datesAndTimes.format(at);
}

/** The same moment for whoever compares it with a log. */
export function utcText(at: number): string {
  return `${new Date(at).toISOString().slice(0, 19).replace("T", " ")} UTC`;
}

/** `5h` and its like as words. The month of a rolling window is a length, not one of the calendar. */
export function windowText(window: string): string {
  return WINDOWS.get(window) ?? window;
}

/** `tokens/5h`, a dimension's name, as words. */
export function dimensionText(name: string): string {
  const [unit = name, window] = name.split("/");
  return window === undefined ? unit : `${unit} per ${windowText(window)}`;
}

/** Somebody's name inside a sentence: cut where it is long, and isolated from the direction of the words around it. */
export function nameText(name: string): string {
  return `\u2068${name.length > LONGEST_NAME ? `${name.slice(0, LONGEST_NAME)}…` : name}\u2069`;
}

const LONGEST_NAME = 60;

const WINDOWS: ReadonlyMap<string, string> = new Map([
  ["5h", "5 hours"],
  ["hourly", "hour"],
  ["daily", "day"],
  ["weekly", "week"],
  ["monthly", "30 days"],
]);

const SPANS: readonly (readonly [seconds: number, name: "day" | "hour" | "minute" | "second"])[] = [
  [86_400, "day"],
  [3_600, "hour"],
  [60, "minute"],
  [1, "second"],
];

const durationFormats = new Map<string, Intl.NumberFormat>();
const durations = {
  format(count: number, unit: "day" | "hour" | "minute" | "second"): string {
    let format = durationFormats.get(unit);
    if (format === undefined) {
      format = new Intl.NumberFormat(undefined, { style: "unit", unit, unitDisplay: "short" });
      durationFormats.set(unit, format);
    }
    return format.format(count);
  },
};
const wholes = new Intl.NumberFormat(undefined, { maximumFractionDigits: 0 });
const numbers = new Intl.NumberFormat(undefined, { maximumFractionDigits: 2 });
const percents = new Intl.NumberFormat(undefined, { style: "percent", maximumFractionDigits: 1 });
const dollars = new Intl.NumberFormat(undefined, {
  style: "currency",
  currency: "USD",
  maximumFractionDigits: 4,
});
const dates = new Intl.DateTimeFormat(undefined, { dateStyle: "short" });
const times = new Intl.DateTimeFormat(undefined, { timeStyle: "medium" });
const datesAndTimes = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });
