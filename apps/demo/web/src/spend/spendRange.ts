/** The last so many UTC days, today among them, as the gateway is asked for them. */
export function spendRange(days: number, now: number): { readonly from: string; readonly to: string } {
  const tomorrow = (Math.floor(now / DAY_MS) + 1) * DAY_MS;
  return { from: isoText(tomorrow - days * DAY_MS), to: isoText(tomorrow) };
}

const DAY_MS = 86_400_000;

function isoText(at: number): string {
  return new Date(at).toISOString();
}
