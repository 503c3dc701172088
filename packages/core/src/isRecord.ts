/** The members of an object that has not been parsed yet. */
export type Members = Readonly<Record<string, unknown>>;

/**
 * Whether an input is an object with members: not null, not a list. A parser asks this before it reads one.
 *
 * @example
 * isRecord(JSON.parse('{"model":"kimi-k2"}')); // true
 */
export function isRecord(input: unknown): input is Members {
  return typeof input === "object" && input !== null && !Array.isArray(input);
}
