import { InvalidInputError } from "@quota/engine";
import type { Request } from "express";

/**
 * The version that a change is based on: `If-Match: "3"`, also without the quotes and as `W/"3"`; undefined where none is asked for (`*` too).
 *
 * @throws {InvalidInputError} for one that is no version.
 */
export function ifMatch({ headers }: Pick<Request, "headers">): number | undefined {
  const text = headers["if-match"];
  if (text === undefined || text === "*") return undefined;
  const [, quoted, bare] = /^(?:W\/)?(?:"(\d{1,15})"|(\d{1,15}))$/u.exec(text.trim()) ?? [];
  const version = quoted ?? bare;
  if (version !== undefined) return Number(version);
  throw new InvalidInputError([
    {
      path: "if-match",
      code: "no-version",
      message: 'If-Match must be one version of the pool, such as "3".',
    },
  ]);
}

/** A version as an `ETag`. */
export function versionTag(version: number): string {
  return `"${String(version)}"`;
}
