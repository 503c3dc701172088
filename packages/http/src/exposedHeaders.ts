/**
 * What a page of another origin may read of an answer: for `Access-Control-Expose-Headers`. Without it a browser sees the 429 but not
 * when to come back.
 */
export const EXPOSED_HEADERS: readonly string[] = Object.freeze([
  "retry-after",
  "retry-after-ms",
  "x-should-retry",
  "ratelimit",
  "ratelimit-policy",
  "quota-status",
  "x-quota-reason",
  "request-id",
  "x-request-id",
]);
