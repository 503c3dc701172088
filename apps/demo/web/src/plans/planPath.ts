/** Where the plan of a connection is read and written. */
export function planPath(connectionId: string): string {
  return `/api/quota/plans/${encodeURIComponent(connectionId)}`;
}
