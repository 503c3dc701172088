/** The address of this page with a connection chosen, or with none. */
export function choicePath(connectionId: string | undefined): string {
  const choice = connectionId === undefined ? "" : `?connection=${encodeURIComponent(connectionId)}`;
  return `/dashboard/costs/quota-share/plans${choice}`;
}
