import { randomBytes } from "node:crypto";

/**
 * An id for a request that nobody has yet: the millisecond, then eighty random bits. Ids grow with time, so that those of the last minutes lie beside each
 * other in every index, as with UUIDs of version 7.
 *
 * @param now of this machine, in milliseconds. Where clocks step, ids are as unlike each other as before.
 */
export function newRequestId(now: number): string {
  return `req_${now.toString(16).padStart(12, "0")}${randomBytes(10).toString("hex")}`;
}
