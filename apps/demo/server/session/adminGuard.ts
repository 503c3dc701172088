import type { IncomingMessage } from "node:http";
import type { Request, RequestHandler, Response } from "express";
import { createTokenCheck } from "../adminAuth.js";
import { bearerOf } from "../bearer.js";
import type { Attempts } from "./attempts.js";
import { FOREIGN_HOST, type HostCheck } from "./hostCheck.js";
import { originFault } from "./originFault.js";
import { sendForbidden, sendSlowed, sendUnauthorized } from "./sessionAnswers.js";
import { sessionIdsOf } from "./sessionCookie.js";
import type { Sessions } from "./sessions.js";

export interface AdminGuardParts {
  readonly adminToken: string;
  readonly sessions: Sessions;
  readonly hosts: HostCheck;
  readonly attempts: Attempts;
  readonly now: () => number;
}

/** Who may administer: said once for each request, before everything below `/api`. */
export interface AdminGuard {
  readonly letIn: RequestHandler;
  /** Whether `letIn` has let this request in; false for one that it never saw. */
  readonly isAdmin: (request: IncomingMessage) => boolean;
}

/**
 * Lets in whoever bears the admin token, or the cookie of a session. A token is a script's: it works under any `Host`, and only wrong ones slow it
 * down. A cookie is a browser's, which other people's pages may steer: its `Host` must be ours, and what changes something must come from our own pages.
 */
export function createAdminGuard({
  adminToken,
  sessions,
  hosts,
  attempts,
  now,
}: AdminGuardParts): AdminGuard {
  const isToken = createTokenCheck(adminToken);
  const admins = new WeakSet<IncomingMessage>();

  function bears(request: Request, token: string, response: Response): boolean {
    const attempt = attempts.attempt(request.socket.remoteAddress, () => isToken(token));
    if (attempt.kind === "slowed") sendSlowed(response, attempt.retryAfterS);
    else if (attempt.kind === "wrong") sendUnauthorized(response, HOW_TO_GET_IN);
    return attempt.kind === "right";
  }

  async function isSignedIn(request: Request, response: Response): Promise<boolean> {
    const ids = sessionIdsOf(request);
    if (ids.length === 0) return refused(sendUnauthorized, response, HOW_TO_GET_IN);
    if (!hosts.isOurs(request)) return refused(sendForbidden, response, FOREIGN_HOST);
    const changes = request.method !== "GET" && request.method !== "HEAD";
    const fault = changes ? originFault(request, { needed: true }) : undefined;
    if (fault !== undefined) return refused(sendForbidden, response, fault);
    // A session that is over is no guess: it slows nobody down.
    for (const id of ids) if ((await sessions.use(id, now())) !== undefined) return true;
    return refused(sendUnauthorized, response, HOW_TO_GET_IN);
  }

  return {
    isAdmin: (request) => admins.has(request),
    async letIn(request, response, next) {
      // What a browser gets here is the signed-in person's: no cache keeps it, and no other site's page may embed it.
      response.set({
        "cache-control": "no-store",
        "cross-origin-resource-policy": "same-origin",
        "x-content-type-options": "nosniff",
      });
      const token = bearerOf(request);
      const isAdmin =
        token === undefined ? await isSignedIn(request, response) : bears(request, token, response);
      if (!isAdmin) return;
      admins.add(request);
      next();
    },
  };
}

const HOW_TO_GET_IN = "Send the admin token as `Authorization: Bearer …`, or sign in at /dashboard/sign-in.";

function refused(
  send: (response: Response, detail: string) => void,
  response: Response,
  detail: string,
): false {
  send(response, detail);
  return false;
}
