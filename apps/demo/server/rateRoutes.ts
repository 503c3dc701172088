import { ratePathFrom } from "@quota/core";
import type { RateAdmission, RateDimensionUsage, RateNodeUsage, RateRoom } from "@quota/engine";
import type { Router } from "express";
import { notFound } from "./adminAnswers.js";
import type { ApiKeys } from "./apiKeys.js";
import { forestWarnings } from "./forestWarnings.js";
import type { Organisations } from "./organisations.js";
import type { PlantedForest, RateForest } from "./rateForest.js";
import { rateNodeId, type RateKind } from "./rateNodeId.js";
import { rateTreeOwners } from "./rateTreeOwners.js";
import { rateWarnings, type RateWarning } from "./rateWarnings.js";
import { sendJsonList } from "./sendJsonList.js";
import type { Teams } from "./teams.js";

export interface RateRoutesParts {
  readonly rates: Pick<RateAdmission, "rateUsage" | "rateTreeUsage">;
  readonly forest: RateForest;
  readonly organisations: Pick<Organisations, "get" | "list">;
  readonly teams: Pick<Teams, "get" | "list">;
  readonly keys: Pick<ApiKeys, "get" | "list">;
  readonly now: () => number;
}

/** `/rates`, the whole tree, and `/rates/:kind/:id`, for `org`, `team` and `key`: limits, use in this minute, what is kept for those below, and what is left. */
export function addRateRoutes(
  router: Router,
  { rates, forest, organisations, teams, keys, now }: RateRoutesParts,
): void {
  router.get("/rates", async (_request, response) => {
    const planted = forest.latest();
    // In the same turn: a limit must not be shown with the version of a later one, or an edit based on it would go over what nobody saw.
    const owners = rateTreeOwners({ organisations, teams, keys });
    const usage = await rates.rateTreeUsage(planted);
    const counted = new Map(usage.nodes.map((node) => [node.id, node]));
    // It may have been a newer plan that was read.
    const inForce = forest.current();
    await sendJsonList(response.set("cache-control", "no-store"), {
      head: {
        generatedAt: now(),
        revision: usage.revision,
        resetsAt: usage.resetsAt,
        warnings: forestWarnings(inForce),
      },
      list: "nodes",
      items: owners,
      item: ({ kind, id, name, parent, version }): RateTreeNodeJson => {
        const node = counted.get(rateNodeId(kind, id));
        const { rpm, tpm } = node === undefined ? { rpm: UNLIMITED, tpm: UNLIMITED } : shown(node, inForce);
        return { kind, id, name, ...(parent && { parent }), version, rpm, tpm };
      },
    });
  });

  const kinds = new Map<string, { readonly kind: RateKind; readonly owners: { get(id: string): unknown } }>([
    ["org", { kind: "organisation", owners: organisations }],
    ["team", { kind: "team", owners: teams }],
    ["key", { kind: "key", owners: keys }],
  ]);

  router.get("/rates/:kind/:id", async (request, response) => {
    const { kind: word, id } = request.params;
    const found = kinds.get(word);
    if (found === undefined) return notFound(response, "kind; ask for org, team or key");
    if (found.owners.get(id) === undefined) return notFound(response, found.kind);
    const planted = forest.latest();
    const nodeId = rateNodeId(found.kind, id);
    const { plan } = planted;
    // A key that belongs nowhere and has no limit is no node; nor is anything that was deleted a moment ago.
    const path = plan.nodes.has(nodeId) ? ratePathFrom(plan, nodeId) : [];
    const usage = await rates.rateUsage({ ...planted, path });
    const [own, ...above] = usage.nodes.map((node) => shown(node, planted));
    const { revision, resetsAt, available } = usage;
    const warnings = rateWarnings(planted, nodeId);
    response.set("cache-control", "no-store");
    response.json({
      ...(own ?? { kind: found.kind, id, rpm: UNLIMITED, tpm: UNLIMITED }),
      above,
      available: { requests: available.requests, tokens: available.tokens },
      revision,
      resetsAt,
      warnings,
    } satisfies RatesJson);
  });
}

/** A node of the whole tree; a key that belongs nowhere and has no limit is one, too. */
export interface RateTreeNodeJson extends RateNodeJson {
  readonly name: string;
  /** Left out: it belongs to nobody. */
  readonly parent?: { readonly kind: RateKind; readonly id: string };
  /** What an edit of its limits is based on (`If-Match`). */
  readonly version: number;
}

/** A node's numbers in one minute. */
export interface RateNodeJson {
  readonly kind: string;
  readonly id: string;
  /** Requests. */
  readonly rpm: RateDimensionJson;
  /** Tokens. */
  readonly tpm: RateDimensionJson;
}

export interface RateDimensionJson {
  /** Null: no limit of its own. */
  readonly limit: number | null;
  /** `"uncounted"`: neither the node nor anything above it has a limit, so not every request below it asks the plan. */
  readonly used: number | "uncounted";
  /** What limited nodes below have not used: kept for them. */
  readonly heldForChildren: number;
  /** What is left to those below without a limit of their own. */
  readonly left: RateRoom;
}

export interface RatesJson extends RateNodeJson {
  /** From its parent up to the root. */
  readonly above: readonly RateNodeJson[];
  /** The most that one request here would be let through with right now. */
  readonly available: { readonly requests: RateRoom; readonly tokens: RateRoom };
  readonly revision: number;
  /** When the minute turns, in milliseconds since the epoch. */
  readonly resetsAt: number;
  readonly warnings: readonly RateWarning[];
}

const UNLIMITED: RateDimensionJson = {
  limit: null,
  used: "uncounted",
  heldForChildren: 0,
  left: "unlimited",
};

function shown({ id, kind, requests, tokens }: RateNodeUsage, { plan, idOf }: PlantedForest): RateNodeJson {
  const isCounted =
    plan.nodes.has(id) &&
    ratePathFrom(plan, id).some(({ rpm, tpm }) => rpm !== undefined || tpm !== undefined);
  return {
    kind,
    id: idOf.get(id) ?? id,
    rpm: dimensionJson(requests, isCounted),
    tpm: dimensionJson(tokens, isCounted),
  };
}

function dimensionJson(usage: RateDimensionUsage, isCounted: boolean): RateDimensionJson {
  const { limit, used, heldForChildren, left } = usage;
  return {
    limit: limit === "unlimited" ? null : limit,
    used: isCounted ? used : "uncounted",
    heldForChildren,
    left,
  };
}
