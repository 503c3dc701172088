import type { Fault } from "@quota/core";
import { sendAnswer } from "@quota/express";
import { buildBadRequest, parseIfMatch, versionTag } from "@quota/http";
import type { Response, Router } from "express";
import type { z } from "zod";
import { conflict, notFound, stale } from "./adminAnswers.js";
import type { Deletion } from "./deletion.js";
import { parsedBody } from "./parsedBody.js";
import type { RateForest } from "./rateForest.js";
import type { BudgetDesk } from "./spend/createBudgetDesk.js";
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
  readonly madeBody: z.ZodType<NoInfer<Made> & WithBudget>;
  readonly changeBody: z.ZodType<NoInfer<Change> & WithBudget>;
  readonly check?: ((body: Readonly<Record<string, unknown>>) => readonly Fault[]) | undefined;
  readonly forest: RateForest;
  readonly budgetDesk: BudgetDesk;
  readonly now: () => number;
}

/** Bodies have a budget, which is kept elsewhere. */
interface WithBudget {
  readonly budget?: unknown;
}

/** What keys belong to: listed, made, shown, changed and deleted. What a write makes of the limits around it is in its answer's `warnings`. */
export function addOwnerRoutes<
  Owner extends { readonly id: string; readonly version: number },
  Made extends { readonly id: string },
  Change,
>(router: Router, routes: OwnerRoutes<Owner, Made, Change>): void {
  const { path, what, owners, madeBody, changeBody, check = () => [], forest, budgetDesk, now } = routes;
  const checkAll = (body: Readonly<Record<string, unknown>>): readonly Fault[] => [
    ...check(body),
    ...budgetDesk.faults(body),
  ];

  router.get(path, async (_request, response) => {
    response.json(await budgetDesk.shown(what, owners.list()));
  });
  router.post(path, async (request, response) => {
    const body = parsedBody({ body: request.body as unknown, response }, madeBody, checkAll);
    if (body === undefined) return;
    const { budget, ...made } = body;
    const created = await owners.create(made as unknown as Made, now());
    if (created === undefined) return conflict(response, `There is a ${what} ${body.id} already.`);
    await budgetDesk.give({ kind: what, id: body.id }, budget);
    await answer(response.status(201), created);
  });
  router.get(`${path}/:id`, async (request, response) => {
    const found = owners.get(request.params.id);
    if (found === undefined) return notFound(response, what);
    response.set("etag", versionTag(found.version)).json(await budgetDesk.shownOne(what, found));
  });
  router.patch(`${path}/:id`, async (request, response) => {
    const { id } = request.params;
    const body = parsedBody({ body: request.body as unknown, response }, changeBody, checkAll);
    if (body === undefined) return;
    const ifVersion = parseIfMatch(request.headers["if-match"]);
    if (!ifVersion.ok) return sendAnswer(response, buildBadRequest(ifVersion.faults));
    const { budget, ...change } = body;
    const changed = await owners.update(id, change as unknown as Change, ifVersion.value);
    if (changed === undefined) return notFound(response, what);
    if (changed === "stale") {
      const existing = owners.get(id);
      return stale(response, what, existing && (await budgetDesk.shownOne(what, existing)));
    }
    await budgetDesk.give({ kind: what, id }, budget);
    await answer(response, changed);
  });
  router.delete(`${path}/:id`, async (request, response) => {
    const { id } = request.params;
    const deletion = await owners.delete(id);
    if (deletion.kind === "missing") return notFound(response, what);
    if (deletion.kind === "deleted") {
      await budgetDesk.give({ kind: what, id }, null);
      return void response.status(204).end();
    }
    const members = [named("team", deletion.teams), named("key", deletion.keys)].filter(Boolean).join("; ");
    conflict(response, `The ${what} ${id} still has members: ${members}. Move or delete them first.`);
  });

  async function answer(response: Response, owner: Owner): Promise<void> {
    const warnings = rateWarnings(forest.current(), rateNodeId(what, owner.id));
    response
      .set("etag", versionTag(owner.version))
      .json({ ...(await budgetDesk.shownOne(what, owner)), warnings });
  }
}

/** How many members a refusal spells out. */
const NAMED = 20;

function named(what: string, ids: readonly string[]): string {
  if (ids.length === 0) return "";
  const rest = ids.length > NAMED ? ` and ${String(ids.length - NAMED)} more` : "";
  return `${what}${ids.length > 1 ? "s" : ""} ${ids.slice(0, NAMED).join(", ")}${rest}`;
}
