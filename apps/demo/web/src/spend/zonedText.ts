/** A moment by the clocks of a zone, named with it: `Dec 1, 2026, 12:00 AM in Europe/Paris`. Of a zone that this browser does not know, its midnight. */
export function zonedText(at: number, timeZone: string): string {
  try {
    return `${new Intl.DateTimeFormat(undefined, { ...STYLE, timeZone }).format(at)} in ${timeZone}`;
  } catch {
    return `midnight in ${timeZone}`;
  }
}

/** The same by the reader's own clock, with its date in any case. */
export function ownText(at: number): string {
  return own.format(at);
}

const STYLE = { dateStyle: "medium", timeStyle: "short" } as const;
const own = new Intl.DateTimeFormat(undefined, STYLE);
