import type { Fault } from "./fault.js";

/** The longest id that is taken, in UTF-16 units. */
export const MAX_ID_LENGTH = 256;

/** What is wrong with an id, and what to do about it. */
export interface IdProblem {
  readonly code: "id-missing" | "id-too-long" | "id-malformed";
  readonly problem: string;
  readonly remedy: string;
}

/**
 * What is wrong with an id, or nothing. Any text is an id (`__proto__`, `a|b`, `{x}`, an IPv6 address), so long as it is
 * not empty, not longer than {@link MAX_ID_LENGTH} and well-formed Unicode (a lone surrogate would be stored as the same replacement
 * character as any other, and two callers would share one counter).
 */
export function idProblem(value: unknown): IdProblem | undefined {
  if (typeof value !== "string" || value === "")
    return { code: "id-missing", problem: "must be a text that is not empty;", remedy: "give the id." };
  if (value.length > MAX_ID_LENGTH)
    return {
      code: "id-too-long",
      problem: `has ${String(value.length)} characters;`,
      remedy: `use an id of at most ${String(MAX_ID_LENGTH)}.`,
    };
  if (/\p{Surrogate}/u.test(value))
    return {
      code: "id-malformed",
      problem: "is not well-formed Unicode;",
      remedy: "remove the lone surrogate.",
    };
  return undefined;
}

/** {@link idProblem} as a fault of an input. */
export function idFault(value: unknown, path: string): Fault | undefined {
  const found = idProblem(value);
  return found && { path, code: found.code, message: `${path} ${found.problem} ${found.remedy}` };
}
