import type { Parsed } from "@quota/core";

/**
 * The version that a change is based on, from the value of `If-Match`: `"3"`, also without the quotes and as `W/"3"`; undefined where none
 * is asked for (`*` too).
 *
 * @example
 * parseIfMatch('"3"'); // { ok: true, value: 3 }
 */
export function parseIfMatch(header: string | undefined): Parsed<number | undefined> {
  if (header === undefined || header === "*") return { ok: true, value: undefined };
  const [, quoted, bare] = /^(?:W\/)?(?:"(\d{1,15})"|(\d{1,15}))$/u.exec(header.trim()) ?? [];
  const version = quoted ?? bare;
  if (version !== undefined) return { ok: true, value: Number(version) };
  const message = 'If-Match must be one version, such as "3"; send the ETag of what you read.';
  return { ok: false, faults: [{ path: "if-match", code: "no-version", message }] };
}

/** A version as an `ETag`, the way {@link parseIfMatch} reads it back. */
export function versionTag(version: number): string {
  return `"${String(version)}"`;
}
