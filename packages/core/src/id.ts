import type { Fault } from "./fault.js";

/** The longest id that is taken, in UTF-16 units. */
export const MAX_ID_LENGTH = 256;

/**
 * What is wrong with an id, or nothing. Any text is an id (`__proto__`, `a|b`, `{x}`, an IPv6 address), so long as it is
 * not empty, not longer than {@link MAX_ID_LENGTH} and well-formed Unicode (a lone surrogate would be stored as the same replacement
 * character as any other, and two callers would share one counter).
 */
export function idFault(value: unknown, path: string): Fault | undefined {
  if (typeof value !== "string" || value === "")
    return { path, code: "id-missing", message: `${path} must be a text that is not empty; give the id.` };
  if (value.length > MAX_ID_LENGTH)
    return {
      path,
      code: "id-too-long",
      message: `${path} has ${String(value.length)} characters; use an id of at most ${String(MAX_ID_LENGTH)}.`,
    };
  if (/\p{Surrogate}/u.test(value))
    return {
      path,
      code: "id-malformed",
      message: `${path} is not well-formed Unicode; remove the lone surrogate.`,
    };
  return undefined;
}
