/** Where a pool is in the REST API. */
export function poolPath(id: string): string {
  return `/api/quota/pools/${encodeURIComponent(id)}`;
}
