/**
 * Whether an input is an object with members: not null, not a list. A parser asks this before it reads one.
 *
 * @example
 * isRecord(JSON.parse('{"model":"kimi-k2"}')); // true
 */
export function isRecord(input: unknown): input is Readonly<Record<string, unknown>> {
  return typeof input === "object" && input !== null && !Array.isArray(input);
}
