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
import type { BudgetDesk } from "./spend/createBudgetDesk.js";
import { rateWarnings, type RateWarning } from "./rateWarnings.js";
import type { Teams } from "./teams.js";

export interface KeyRoutesParts {
  readonly keys: ApiKeys;
  readonly teams: Pick<Teams, "get">;
  readonly organisations: Pick<Organisations, "get">;
  readonly forest: RateForest;
  readonly budgetDesk: BudgetDesk;
  readonly now: () => number;
}

/** `/keys`: made, placed in a team or organisation, limited, rotated, disabled and deleted. */
export function addKeyRoutes(
  router: Router,
  { keys, teams, organisations, forest, budgetDesk, now }: KeyRoutesParts,
): void {
  const shown = <Key extends { readonly id: string }>(key: Key) => budgetDesk.shownOne("key", key);

  router.get("/keys", async (_request, response) => {
    response.json(await budgetDesk.shown("key", keys.list()));
  });
  router.post("/keys", async (request, response) => {
    const given: unknown = request.body === undefined ? {} : request.body;
    const body = parsedBody({ body: given, response }, keyBody, (asked) => faultsOf(NO_PLACE, asked));
    if (body === undefined) return;
    const { budget, id = `key_${randomUUID()}`, ...made } = body;
    const created = await keys.create({ ...made, id }, now());
    if (created === undefined) return conflict(response, `There is a key ${id} already.`);
    await budgetDesk.give({ kind: "key", id }, budget);
    response.status(201).set("cache-control", "no-store").set("etag", versionTag(created.version));
    response.json({ ...(await shown(created)), warnings: warningsOf(id) });
  });
  router.get("/keys/:id", async (request, response) => {
    const found = keys.get(request.params.id);
    if (found === undefined) return notFound(response, "key");
    response.set("etag", versionTag(found.version)).json(await shown(found));
  });
  router.patch("/keys/:id", async (request, response) => {
    const { id } = request.params;
    const before = keys.get(id);
    const body = parsedBody({ body: request.body as unknown, response }, keyChangeBody, (asked) =>
      faultsOf(before ?? NO_PLACE, asked),
    );
    if (body === undefined) return;
    const ifVersion = parseIfMatch(request.headers["if-match"]);
    if (!ifVersion.ok) return sendAnswer(response, buildBadRequest(ifVersion.faults));
    const { budget, ...change } = body;
    const changed = await keys.update(id, change, ifVersion.value);
    if (changed === undefined) return notFound(response, "key");
    if (changed === "stale") {
      const existing = keys.get(id);
      return stale(response, "key", existing && (await shown(existing)));
    }
    await budgetDesk.give({ kind: "key", id }, budget);
    response.set("etag", versionTag(changed.version));
    response.json({ ...(await shown(changed)), warnings: warningsOf(id) });
  });
  router.delete("/keys/:id", async (request, response) => {
    const { id } = request.params;
    if (!(await keys.delete(id))) return notFound(response, "key");
    await budgetDesk.give({ kind: "key", id }, null);
    response.status(204).end();
  });
  router.post("/keys/:id/rotate", async (request, response) => {
    const rotated = await keys.rotate(request.params.id);
    if (rotated === undefined) return notFound(response, "key");
    response.set("cache-control", "no-store").json(await shown(rotated));
  });
  const setDisabled =
    (disabled: boolean): RequestHandler<{ id: string }> =>
    async (request, response) => {
      const changed = await keys.setDisabled(request.params.id, disabled);
      if (changed === undefined) return notFound(response, "key");
      response.json(await shown(changed));
    };
  router.post("/keys/:id/disable", setDisabled(true));
  router.post("/keys/:id/enable", setDisabled(false));

  function faultsOf(before: KeyPlace, body: Readonly<Record<string, unknown>>): readonly Fault[] {
    return [...placeFaults(before, body), ...budgetDesk.faults(body)];
  }

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
