import { PostgresError } from "./postgresError.js";

/** Says in plain words, with a remedy, why a database cannot be opened; an error that is worded already stays as it is. */
export function postgresFault(cause: unknown, place: string): PostgresError {
  if (cause instanceof PostgresError) return cause;
  const [code, problem, remedy] = worded(cause, place);
  return new PostgresError({ code, place, problem, remedy, cause });
}

/** The five characters in which PostgreSQL says what went wrong; undefined for errors that are not the server's. */
export function sqlState(error: unknown): string | undefined {
  const code = codeOf(error);
  return code !== undefined && /^[0-9A-Z]{5}$/.test(code) ? code : undefined;
}

function codeOf(error: unknown): string | undefined {
  const code = error instanceof Error ? (error as { code?: unknown }).code : undefined;
  return typeof code === "string" ? code : undefined;
}

function worded(
  cause: unknown,
  place: string,
): readonly [code: PostgresError["code"], problem: string, remedy: string] {
  const state = sqlState(cause) ?? "";
  const said = cause instanceof Error ? cause.message : String(cause);
  if (state.startsWith("28") || state === "3D000" || state === "42501")
    return [
      "refused",
      `The database ${place} refuses us: ${said}.`,
      "Correct the user, the password or the database in the URL, or grant what is missing.",
    ];
  if (state === "53300")
    return [
      "unreachable",
      `The server of the database ${place} has no connection left.`,
      "Raise its max_connections, or give each gateway a smaller pool.",
    ];
  // 57P03: it is starting or stopping.
  if (state === "" || state === "57P03")
    return [
      "unreachable",
      `The database ${place} cannot be reached: ${said}.`,
      "See that the server runs there and lets this machine connect.",
    ];
  return ["failed", `The database ${place} failed: ${said}.`, "The driver's own error is the cause."];
}
