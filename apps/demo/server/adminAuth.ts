import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { addSecretFile } from "./secretFiles.js";
import { StartError } from "./startError.js";

/** Whether a text is the admin token, compared in constant time (as hashes, so that the length tells nothing either). */
export function createTokenCheck(token: string): (given: string) => boolean {
  const expected = hashOf(token);
  return (given) => timingSafeEqual(hashOf(given), expected);
}

/**
 * The admin token of a data directory: made at the first start, and readable by its owner alone.
 *
 * @throws {StartError} when the file is empty: with that token nobody could do anything.
 */
export function keptAdminToken(dataDir: string): { readonly token: string; readonly path: string } {
  const path = join(dataDir, "admin-token");
  if (!existsSync(path)) addSecretFile(path, `${randomBytes(32).toString("base64url")}\n`);
  const token = readFileSync(path, "utf8").trim();
  if (token === "")
    throw new StartError(`${path} is empty; remove it for a new token, or set QUOTA_ADMIN_TOKEN.`);
  return { token, path };
}

function hashOf(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
