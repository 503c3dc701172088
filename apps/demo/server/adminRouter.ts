import { createReadStream } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { InvalidInputError, RatesUnavailableError } from "@quota/engine";
import { sendAnswer } from "@quota/express";
import { buildBadRequest, buildProblem, parseIfMatch, versionTag } from "@quota/http";
import express, { type ErrorRequestHandler, type Router } from "express";
import { conflict, notFound, stale } from "./adminAnswers.js";
import {
  connectionBody,
  connectionChangeBody,
  organisationBody,
  organisationChangeBody,
  teamBody,
  teamChangeBody,
} from "./adminBodies.js";
import type { Connections } from "./connections.js";
import { addKeyRoutes, type KeyRoutesParts } from "./keyRoutes.js";
import type { Organisations } from "./organisations.js";
import { addOwnerRoutes } from "./ownerRoutes.js";
import { parsedBody } from "./parsedBody.js";
import { addRateRoutes, type RateRoutesParts } from "./rateRoutes.js";
import type { UpstreamWatch } from "./spend/createUpstreamWatch.js";
import type { Teams } from "./teams.js";
import { unknownOwner } from "./unknownOwner.js";

export interface AdminParts extends KeyRoutesParts, Pick<RateRoutesParts, "rates"> {
  readonly organisations: Organisations;
  readonly teams: Teams;
  readonly connections: Connections;
  readonly upstreams: UpstreamWatch;
  /** What the proxy remembers of a connection's secret. */
  readonly forgetSecret: (connectionId: string) => void;
  /** Writes a copy of the database into a new file. */
  readonly backup: (file: string) => Promise<void>;
}

/**
 * `/api/connections`, `/api/keys`, `/api/teams`, `/api/orgs`, `/api/rates` and `/api/backup`, behind a check of the admin token. Lists are arrays, single things are
 * themselves, errors are problem+json with every fault of a body at once. What proves the gateway to an upstream never comes back.
 */
export function createAdminRouter(parts: AdminParts): Router {
  const router = express.Router();
  router.use(express.json({ limit: "1mb", strict: false, type: () => true }));
  addConnections(router, parts);
  addKeyRoutes(router, parts);
  addOrganisations(router, parts);
  addTeams(router, parts);
  addRateRoutes(router, parts);

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
  router.use(whatWentWrong);
  return router;
}

function addConnections(router: Router, { connections, forgetSecret, upstreams, now }: AdminParts): void {
  router.get("/connections", async (_request, response) => {
    const listed = connections.list();
    const live = await upstreams.of(listed.map(({ id }) => id));
    response.json(listed.map((each) => ({ ...each, live: live.get(each.id) })));
  });
  router.post("/connections", async (request, response) => {
    const body = parsedBody({ body: request.body as unknown, response }, connectionBody);
    if (body === undefined) return;
    const created = await connections.create(body, now());
    if (created === undefined) return conflict(response, `There is a connection ${body.id} already.`);
    response.status(201).set("etag", versionTag(created.version)).json(created);
  });
  router.get("/connections/:id", async (request, response) => {
    const found = connections.get(request.params.id);
    if (found === undefined) return notFound(response, "connection");
    const live = (await upstreams.of([found.id])).get(found.id);
    response.set("etag", versionTag(found.version)).json({ ...found, live });
  });
  router.patch("/connections/:id", async (request, response) => {
    const body = parsedBody({ body: request.body as unknown, response }, connectionChangeBody);
    if (body === undefined) return;
    const ifVersion = parseIfMatch(request.headers["if-match"]);
    if (!ifVersion.ok) return sendAnswer(response, buildBadRequest(ifVersion.faults));
    const changed = await connections.update(request.params.id, body, ifVersion.value);
    if (changed === undefined) return notFound(response, "connection");
    if (changed === "stale") return stale(response, "connection", connections.get(request.params.id));
    forgetSecret(changed.id);
    response.set("etag", versionTag(changed.version)).json(changed);
  });
  router.delete("/connections/:id", async (request, response) => {
    if (!(await connections.delete(request.params.id))) return notFound(response, "connection");
    forgetSecret(request.params.id);
    response.status(204).end();
  });
}

function addOrganisations(router: Router, { organisations, forest, budgetDesk, now }: AdminParts): void {
  addOwnerRoutes(router, {
    path: "/orgs",
    what: "organisation",
    owners: organisations,
    madeBody: organisationBody,
    changeBody: organisationChangeBody,
    forest,
    budgetDesk,
    now,
  });
}

function addTeams(router: Router, { organisations, teams, forest, budgetDesk, now }: AdminParts): void {
  addOwnerRoutes(router, {
    path: "/teams",
    what: "team",
    owners: teams,
    madeBody: teamBody,
    changeBody: teamChangeBody,
    check: ({ orgId }) =>
      typeof orgId === "string" && organisations.get(orgId) === undefined
        ? [unknownOwner("organisation", orgId)]
        : [],
    forest,
    budgetDesk,
    now,
  });
}

/** What was found wrong within the write itself (an owner that was deleted a moment before), and a store that says nothing of rates. */
const whatWentWrong: ErrorRequestHandler = (error: unknown, _request, response, next) => {
  if (error instanceof InvalidInputError) return sendAnswer(response, buildBadRequest(error.faults));
  if (!(error instanceof RatesUnavailableError)) return next(error);
  const detail = "The store does not answer; try again in a moment.";
  sendAnswer(response, buildProblem({ status: 503, detail }));
};
