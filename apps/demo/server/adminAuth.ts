import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { sendAnswer } from "@quota/express";
import { buildProblem } from "@quota/http";
import type { Request, RequestHandler } from "express";
import { bearerOf } from "./bearer.js";
import { addSecretFile } from "./secretFiles.js";
import { StartError } from "./startError.js";

/** Whether a request bears the admin token, compared in constant time (as hashes, so that the length tells nothing either). */
export function createAdminCheck(token: string): (request: Request) => boolean {
  const expected = hashOf(token);
  return (request) => {
    const given = bearerOf(request);
    return given !== undefined && timingSafeEqual(hashOf(given), expected);
  };
}

/** 401 for whoever does not bear the admin token. */
export function requireAdmin(isAdmin: (request: Request) => boolean): RequestHandler {
  return (request, response, next) => {
    if (isAdmin(request)) return next();
    response.set("www-authenticate", "Bearer");
    sendAnswer(
      response,
      buildProblem({ status: 401, detail: "Send the admin token as `Authorization: Bearer …`." }),
    );
  };
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
