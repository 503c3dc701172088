import type { Fault } from "@quota/core";
import { sendAnswer } from "@quota/express";
import { buildBadRequest, parseIfMatch, versionTag } from "@quota/http";
import type { Response, Router } from "express";
import type { z } from "zod";
import { conflict, notFound, stale } from "./adminAnswers.js";
import type { Deletion } from "./deletion.js";
import { parsedBody } from "./parsedBody.js";
import type { RateForest } from "./rateForest.js";
import { rateNodeId } from "./rateNodeId.js";
import { rateWarnings } from "./rateWarnings.js";

/** Organisations or teams, as the routes need them. */
export interface Owners<Owner, Made, Change> {
  get(id: string): Owner | undefined;
  list(): readonly Owner[];
  create(made: Made, now: number): Promise<Owner | undefined>;
  update(id: string, change: Change, ifVersion?: number): Promise<Owner | "stale" | undefined>;
  delete(id: string): Promise<Deletion>;
}

export interface OwnerRoutes<Owner, Made, Change> {
  readonly path: `/${string}`;
  readonly what: "organisation" | "team";
  readonly owners: Owners<Owner, Made, Change>;
  readonly madeBody: z.ZodType<Made>;
  readonly changeBody: z.ZodType<Change>;
  readonly check?: ((body: Readonly<Record<string, unknown>>) => readonly Fault[]) | undefined;
  readonly forest: RateForest;
  readonly now: () => number;
}

/** What keys belong to: listed, made, shown, changed and deleted. What a write makes of the limits around it is in its answer's `warnings`. */
export function addOwnerRoutes<
  Owner extends { readonly id: string; readonly version: number },
  Made extends { readonly id: string },
  Change,
>(router: Router, routes: OwnerRoutes<Owner, Made, Change>): void {
  const { path, what, owners, madeBody, changeBody, check, forest, now } = routes;

  router.get(path, (_request, response) => void response.json(owners.list()));
  router.post(path, async (request, response) => {
    const body = parsedBody({ body: request.body as unknown, response }, madeBody, check);
    if (body === undefined) return;
    const created = await owners.create(body, now());
    if (created === undefined) return conflict(response, `There is a ${what} ${body.id} already.`);
    answer(response.status(201), created);
  });
  router.get(`${path}/:id`, (request, response) => {
    const found = owners.get(request.params.id);
    if (found === undefined) return notFound(response, what);
    response.set("etag", versionTag(found.version)).json(found);
  });
  router.patch(`${path}/:id`, async (request, response) => {
    const { id } = request.params;
    const body = parsedBody({ body: request.body as unknown, response }, changeBody, check);
    if (body === undefined) return;
    const ifVersion = parseIfMatch(request.headers["if-match"]);
    if (!ifVersion.ok) return sendAnswer(response, buildBadRequest(ifVersion.faults));
    const changed = await owners.update(id, body, ifVersion.value);
    if (changed === undefined) return notFound(response, what);
    if (changed === "stale") return stale(response, what, owners.get(id));
    answer(response, changed);
  });
  router.delete(`${path}/:id`, async (request, response) => {
    const { id } = request.params;
    const deletion = await owners.delete(id);
    if (deletion.kind === "missing") return notFound(response, what);
    if (deletion.kind === "deleted") return void response.status(204).end();
    const members = [named("team", deletion.teams), named("key", deletion.keys)].filter(Boolean).join("; ");
    conflict(response, `The ${what} ${id} still has members: ${members}. Move or delete them first.`);
  });

  function answer(response: Response, owner: Owner): void {
    const warnings = rateWarnings(forest.current(), rateNodeId(what, owner.id));
    response.set("etag", versionTag(owner.version)).json({ ...owner, warnings });
  }
}

/** How many members a refusal spells out. */
const NAMED = 20;

function named(what: string, ids: readonly string[]): string {
  if (ids.length === 0) return "";
  const rest = ids.length > NAMED ? ` and ${String(ids.length - NAMED)} more` : "";
  return `${what}${ids.length > 1 ? "s" : ""} ${ids.slice(0, NAMED).join(", ")}${rest}`;
}
