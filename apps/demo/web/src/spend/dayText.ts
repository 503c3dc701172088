/** A UTC day such as `2026-03-01`, in the reader's language. It is that day everywhere. */
export function dayText(day: string): string {
  return days.format(Date.parse(day));
}

const days = new Intl.DateTimeFormat(undefined, { month: "short", day: "numeric", timeZone: "UTC" });
