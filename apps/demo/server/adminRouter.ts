import { randomUUID } from "node:crypto";
import { createReadStream } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { sendAnswer } from "@quota/express";
import { buildBadRequest, buildProblem, parseIfMatch, versionTag } from "@quota/http";
import express, { type RequestHandler, type Response, type Router } from "express";
import type { z } from "zod";
import { connectionBody, connectionChangeBody, keyBody } from "./adminBodies.js";
import type { ApiKeys } from "./apiKeys.js";
import { bodyFaults } from "./bodyFaults.js";
import type { Connections } from "./connections.js";

export interface AdminParts {
  readonly keys: ApiKeys;
  readonly connections: Connections;
  /** What the proxy remembers of a connection's secret. */
  readonly forgetSecret: (connectionId: string) => void;
  /** Writes a copy of the database into a new file. */
  readonly backup: (file: string) => Promise<void>;
  readonly now: () => number;
}

/**
 * `/api/connections`, `/api/keys` and `/api/backup`, behind a check of the admin token. Lists are arrays, single things are
 * themselves, errors are problem+json with every fault of a body at once. What proves the gateway to an upstream never comes back.
 */
export function createAdminRouter(parts: AdminParts): Router {
  const router = express.Router();
  router.use(express.json({ limit: "1mb", strict: false, type: () => true }));
  addConnections(router, parts);
  addKeys(router, parts);

  router.get("/backup", async (_request, response) => {
    const directory = await mkdtemp(join(tmpdir(), "quota-backup-"));
    try {
      const file = join(directory, "storage.sqlite");
      await parts.backup(file);
      response.set({
        "content-type": "application/vnd.sqlite3",
        "content-disposition": 'attachment; filename="storage.sqlite"',
        "cache-control": "no-store",
      });
      await pipeline(createReadStream(file), response);
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
  });
  return router;
}

function addConnections(router: Router, { connections, forgetSecret, now }: AdminParts): void {
  router.get("/connections", (_request, response) => void response.json(connections.list()));
  router.post("/connections", async (request, response) => {
    const body = parsed(connectionBody, request.body, response);
    if (body === undefined) return;
    const created = await connections.create(body, now());
    if (created === undefined) return conflict(response, `There is a connection ${body.id} already.`);
    response.status(201).set("etag", versionTag(created.version)).json(created);
  });
  router.get("/connections/:id", (request, response) => {
    const found = connections.get(request.params.id);
    if (found === undefined) return notFound(response, "connection");
    response.set("etag", versionTag(found.version)).json(found);
  });
  router.patch("/connections/:id", async (request, response) => {
    const body = parsed(connectionChangeBody, request.body, response);
    if (body === undefined) return;
    const ifVersion = parseIfMatch(request.headers["if-match"]);
    if (!ifVersion.ok) return sendAnswer(response, buildBadRequest(ifVersion.faults));
    const changed = await connections.update(request.params.id, body, ifVersion.value);
    if (changed === undefined) return notFound(response, "connection");
    if (changed === "stale") return stale(response);
    forgetSecret(changed.id);
    response.set("etag", versionTag(changed.version)).json(changed);
  });
  router.delete("/connections/:id", async (request, response) => {
    if (!(await connections.delete(request.params.id))) return notFound(response, "connection");
    forgetSecret(request.params.id);
    response.status(204).end();
  });
}

function addKeys(router: Router, { keys, now }: AdminParts): void {
  router.get("/keys", (_request, response) => void response.json(keys.list()));
  router.post("/keys", async (request, response) => {
    const body = parsed(keyBody, request.body === undefined ? {} : request.body, response);
    if (body === undefined) return;
    const id = body.id ?? `key_${randomUUID()}`;
    const created = await keys.create({ ...body, id }, now());
    if (created === undefined) return conflict(response, `There is a key ${id} already.`);
    response.status(201).set("cache-control", "no-store").json(created);
  });
  router.get("/keys/:id", (request, response) => {
    const found = keys.get(request.params.id);
    if (found === undefined) return notFound(response, "key");
    response.json(found);
  });
  router.delete("/keys/:id", async (request, response) => {
    if (!(await keys.delete(request.params.id))) return notFound(response, "key");
    response.status(204).end();
  });
  router.post("/keys/:id/rotate", async (request, response) => {
    const rotated = await keys.rotate(request.params.id);
    if (rotated === undefined) return notFound(response, "key");
    response.set("cache-control", "no-store").json(rotated);
  });
  const setDisabled =
    (disabled: boolean): RequestHandler<{ id: string }> =>
    async (request, response) => {
      const changed = await keys.setDisabled(request.params.id, disabled);
      if (changed === undefined) return notFound(response, "key");
      response.json(changed);
    };
  router.post("/keys/:id/disable", setDisabled(true));
  router.post("/keys/:id/enable", setDisabled(false));
}

function parsed<Body>(schema: z.ZodType<Body>, body: unknown, response: Response): Body | undefined {
  const result = schema.safeParse(body);
  if (result.success) return result.data;
  sendAnswer(response, buildBadRequest(bodyFaults(result.error.issues)));
  return undefined;
}

function stale(response: Response): void {
  const detail = "The connection has changed since that version; read it again.";
  sendAnswer(response, buildProblem({ status: 412, detail }));
}

function notFound(response: Response, what: string): void {
  sendAnswer(response, buildProblem({ status: 404, detail: `There is no such ${what}.` }));
}

function conflict(response: Response, detail: string): void {
  sendAnswer(response, buildProblem({ status: 409, detail }));
}
