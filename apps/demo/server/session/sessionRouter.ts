import express, { type RequestHandler, type Router } from "express";
import { z } from "zod";
import { createTokenCheck } from "../adminAuth.js";
import { parsedBody } from "../parsedBody.js";
import type { AdminGuardParts } from "./adminGuard.js";
import { FOREIGN_HOST } from "./hostCheck.js";
import { originFault } from "./originFault.js";
import { sendForbidden, sendSlowed, sendUnauthorized } from "./sessionAnswers.js";
import { sessionCookie, sessionIdsOf } from "./sessionCookie.js";
import { LONGEST_SESSION_MS } from "./sessions.js";
import type { SignInCode } from "./signInCode.js";

export interface SessionRouterParts extends AdminGuardParts {
  readonly signInCode: SignInCode;
}

/**
 * `GET`, `POST` and `DELETE /api/session`: whether somebody is signed in, sign-in with the printed link's code or the admin token, and sign-out. Behind no
 * check of the admin, but behind that of `Host`; a browser may change something here from our own pages only, so that no other
 * site can sign anybody in or out, or use up their attempts.
 */
export function createSessionRouter(parts: SessionRouterParts): Router {
  const { adminToken, sessions, signInCode, hosts, attempts, now } = parts;
  const isToken = createTokenCheck(adminToken);
  const router = express.Router();

  router.use((request, response, next) => {
    response.set({
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
      "cross-origin-resource-policy": "same-origin",
    });
    return hosts.isOurs(request) ? next() : sendForbidden(response, FOREIGN_HOST);
  });

  router.get("/", async (request, response) => {
    for (const id of sessionIdsOf(request)) {
      const expiresAt = await sessions.use(id, now());
      if (expiresAt !== undefined) return void response.json({ signedIn: true, expiresAt });
    }
    response.json({ signedIn: false });
  });

  router.post("/", fromOurPages, express.json({ limit: "16kb", strict: false, type: () => true }));
  router.post("/", async (request, response) => {
    const body = parsedBody({ body: request.body as unknown, response }, signInBody);
    if (body === undefined) return;
    const attempt = attempts.attempt(request.socket.remoteAddress, () =>
      "code" in body ? signInCode.take(body.code) : isToken(body.token),
    );
    if (attempt.kind === "slowed") return sendSlowed(response, attempt.retryAfterS);
    if (attempt.kind === "wrong") return sendUnauthorized(response, "code" in body ? USED_LINK : WRONG_TOKEN);
    try {
      const { id } = await sessions.begin(now());
      response.set("set-cookie", sessionCookie(request, { id, maxAgeS: LONGEST_SESSION_MS / 1_000 }));
    } catch (error) {
      if ("code" in body) signInCode.putBack();
      throw error;
    }
    // Whoever signs in again leaves no session behind.
    for (const id of sessionIdsOf(request)) await sessions.end(id);
    response.status(204).end();
  });

  router.delete("/", fromOurPages, async (request, response) => {
    for (const id of sessionIdsOf(request)) await sessions.end(id);
    response.set("set-cookie", sessionCookie(request, { id: "", maxAgeS: 0 }));
    response.status(204).end();
  });
  return router;
}

const fromOurPages: RequestHandler = (request, response, next) => {
  const fault = originFault(request, { needed: sessionIdsOf(request).length > 0 });
  return fault === undefined ? next() : sendForbidden(response, fault);
};

const secret = z.string("must be a text.").max(4_096, "is too long to be one.");
const signInBody = z.union([z.strictObject({ code: secret }), z.strictObject({ token: secret })], {
  error: "must be an object with a code or a token.",
});

const USED_LINK =
  "This link has been used, is more than a day old, or was printed by another start. Type the admin token instead, or start the gateway again for a new link.";
const WRONG_TOKEN =
  "This is not the admin token. It is in the file admin-token of DATA_DIR, or the value of QUOTA_ADMIN_TOKEN where that is set.";
