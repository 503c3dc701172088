import { InvalidInputError } from "@quota/engine";
import { parseIfMatch } from "@quota/http";
import type { Request } from "express";

/**
 * The version that a change is based on; undefined where none is asked for.
 *
 * @throws {InvalidInputError} for one that is no version.
 */
export function ifMatch({ headers }: Pick<Request, "headers">): number | undefined {
  const parsed = parseIfMatch(headers["if-match"]);
  if (!parsed.ok) throw new InvalidInputError(parsed.faults);
  return parsed.value;
}
