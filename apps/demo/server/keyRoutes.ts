import { randomUUID } from "node:crypto";
import type { Fault } from "@quota/core";
import { sendAnswer } from "@quota/express";
import { buildBadRequest, parseIfMatch, versionTag } from "@quota/http";
import type { RequestHandler, Router } from "express";
import { conflict, notFound, stale } from "./adminAnswers.js";
import { keyBody, keyChangeBody } from "./adminBodies.js";
import type { ApiKeys } from "./apiKeys.js";
import { changedPlace, NO_PLACE, type KeyPlace } from "./keyPlace.js";
import type { Organisations } from "./organisations.js";
import { parsedBody } from "./parsedBody.js";
import type { RateForest } from "./rateForest.js";
import { rateNodeId } from "./rateNodeId.js";
import { rateWarnings, type RateWarning } from "./rateWarnings.js";
import type { Teams } from "./teams.js";

export interface KeyRoutesParts {
  readonly keys: ApiKeys;
  readonly teams: Pick<Teams, "get">;
  readonly organisations: Pick<Organisations, "get">;
  readonly forest: RateForest;
  readonly now: () => number;
}

/** `/keys`: made, placed in a team or organisation, limited, rotated, disabled and deleted. */
export function addKeyRoutes(
  router: Router,
  { keys, teams, organisations, forest, now }: KeyRoutesParts,
): void {
  router.get("/keys", (_request, response) => void response.json(keys.list()));
  router.post("/keys", async (request, response) => {
    const given: unknown = request.body === undefined ? {} : request.body;
    const body = parsedBody({ body: given, response }, keyBody, (asked) => placeFaults(NO_PLACE, asked));
    if (body === undefined) return;
    const id = body.id ?? `key_${randomUUID()}`;
    const created = await keys.create({ ...body, id }, now());
    if (created === undefined) return conflict(response, `There is a key ${id} already.`);
    response.status(201).set("cache-control", "no-store").set("etag", versionTag(created.version));
    response.json({ ...created, warnings: warningsOf(id) });
  });
  router.get("/keys/:id", (request, response) => {
    const found = keys.get(request.params.id);
    if (found === undefined) return notFound(response, "key");
    response.set("etag", versionTag(found.version)).json(found);
  });
  router.patch("/keys/:id", async (request, response) => {
    const { id } = request.params;
    const before = keys.get(id);
    const body = parsedBody({ body: request.body as unknown, response }, keyChangeBody, (asked) =>
      placeFaults(before ?? NO_PLACE, asked),
    );
    if (body === undefined) return;
    const ifVersion = parseIfMatch(request.headers["if-match"]);
    if (!ifVersion.ok) return sendAnswer(response, buildBadRequest(ifVersion.faults));
    const changed = await keys.update(id, body, ifVersion.value);
    if (changed === undefined) return notFound(response, "key");
    if (changed === "stale") return stale(response, "key", keys.get(id));
    response.set("etag", versionTag(changed.version)).json({ ...changed, warnings: warningsOf(id) });
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

  function placeFaults(before: KeyPlace, body: Readonly<Record<string, unknown>>): readonly Fault[] {
    const asked = { teamId: idOrNull(body["teamId"]), orgId: idOrNull(body["orgId"]) };
    const changed = changedPlace(before, asked, { team: teams.get, organisation: organisations.get });
    return changed.ok ? [] : changed.faults;
  }

  function warningsOf(id: string): readonly RateWarning[] {
    return rateWarnings(forest.current(), rateNodeId("key", id));
  }
}

/** What is neither has a fault of its own. */
function idOrNull(value: unknown): string | null | undefined {
  return typeof value === "string" || value === null ? value : undefined;
}
