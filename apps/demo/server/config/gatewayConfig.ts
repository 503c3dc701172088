import {
  idFault,
  parseDimensions,
  parsePoolTerms,
  type Dimension,
  type DimensionSpec,
  type Fault,
  type Parsed,
  type Pool,
} from "@quota/core";
import { z } from "zod";
import { connectionBody, keyBody, organisationBody, teamBody } from "../adminBodies.js";
import { bodyFaults } from "../bodyFaults.js";
import { parsedBudget } from "../spend/budgetBody.js";
import { strayReferences } from "./strayReferences.js";

/**
 * What gateways that share a store must have in common, with its ids: as `GET /api/config` writes it and `PUT /api/config` takes it. Keys are
 * hashes of their secrets; how a connection proves itself to its upstream is never in it.
 */
export interface GatewayConfig {
  readonly format: 1;
  readonly connections: readonly z.output<typeof connection>[];
  readonly plans: readonly { readonly connectionId: string; readonly dimensions: readonly DimensionSpec[] }[];
  readonly organisations: readonly z.output<typeof organisation>[];
  readonly teams: readonly z.output<typeof team>[];
  readonly keys: readonly z.output<typeof key>[];
  readonly pools: readonly ConfiguredPool[];
  /** Orders the rate plans that organisations, teams and keys make. */
  readonly ratePlanRevision: number;
}

/** A pool as people write it, with what names its life: gateways count together only where that is the same. */
export interface ConfiguredPool extends z.output<typeof pool> {
  readonly allocations: readonly unknown[];
}

/** A configuration that can be written as it stands. */
export interface ParsedConfig extends Omit<GatewayConfig, "pools" | "plans"> {
  readonly pools: readonly Pool[];
  readonly plans: ReadonlyMap<string, readonly Dimension[]>;
}

/** Reads a configuration. All faults are listed at once, those of its pools and plans, and of names that lead nowhere, included. */
export function parseConfig(input: unknown): Parsed<ParsedConfig> {
  const shape = config.safeParse(input);
  if (!shape.success)
    return {
      ok: false,
      faults: bodyFaults(shape.error.issues).map((fault) => ({ ...fault, code: "shape" })),
    };
  const { pools: written, plans: writtenPlans, ...rest } = shape.data;
  const { organisations, teams, keys } = rest;
  const faults: Fault[] = [];

  const plans = new Map<string, readonly Dimension[]>();
  writtenPlans.forEach(({ connectionId, dimensions }, i) => {
    const parsed = parseDimensions(dimensions);
    if (parsed.ok) plans.set(connectionId, parsed.value);
    else faults.push(...parsed.faults.map((fault) => within(`plans[${i}]`, fault)));
  });
  const pools = written.flatMap(({ id, incarnation, version, createdAt, ...terms }, i): readonly Pool[] => {
    const parsed = parsePoolTerms(terms);
    if (parsed.ok) return [Object.freeze({ ...parsed.value, id, incarnation, version, createdAt })];
    faults.push(...parsed.faults.map((fault) => within(`pools[${i}]`, fault)));
    return [];
  });
  for (const [list, owners] of Object.entries({ organisations, teams, keys }))
    owners.forEach(({ budget }, i) => {
      const parsed = parsedBudget(budget, 0);
      if (!parsed.ok) faults.push(...parsed.faults.map((fault) => within(`${list}[${i}]`, fault)));
    });
  faults.push(...strayReferences(shape.data));
  return faults.length > 0 ? { ok: false, faults } : { ok: true, value: { ...rest, pools, plans } };
}

function within(place: string, { path, code, message }: Fault): Fault {
  return { path: path === "" ? place : `${place}.${path}`, code, message: `${place}: ${message}` };
}

/** Leaves room to count on from it: a revision never falls again, and one past 2^53 − 1 would be the last. */
const MOST_CHANGES = 2 ** 52;

const whole = z.number("must be a number.").refine(Number.isSafeInteger, "must be a whole number.");
const id = z.string("must be a text.").superRefine((value, context) => {
  const fault = idFault(value, "");
  if (fault !== undefined) context.addIssue({ code: "custom", message: fault.message.trim() });
});
const life = {
  version: whole.min(1, "must be at least 1.").max(MOST_CHANGES, "is too large to be counted on."),
  createdAt: whole.refine(
    isMoment,
    "must be a moment in milliseconds since 1970, of which a date can be made.",
  ),
};
const list = <Item extends z.ZodType>(item: Item) => z.array(item, "must be a list.");

const connection = connectionBody
  .omit({ auth: true })
  .extend({ ...life, secret: z.enum(["none", "to be set"], 'must be "none" or "to be set".').optional() });
const organisation = organisationBody.extend(life);
const team = teamBody.extend(life);
const key = keyBody.extend({
  id,
  name: z.string("must be a text."),
  secretHash: z.string("must be a text.").regex(/^[0-9a-f]{64}$/u, "must be a SHA-256 in hexadecimal."),
  disabled: z.boolean("must be true or false."),
  loopbackOnly: z.boolean("must be true or false."),
  ...life,
});
const pool = z.looseObject({ id, incarnation: id, connectionId: id, ...life });
const config = z.strictObject(
  {
    format: z.literal(1, "must be 1."),
    connections: list(connection),
    plans: list(z.strictObject({ connectionId: id, dimensions: list(z.unknown()) })),
    organisations: list(organisation),
    teams: list(team),
    keys: list(key),
    pools: list(pool),
    ratePlanRevision: whole
      .min(0, "must not be negative.")
      .max(MOST_CHANGES, "is too large to be counted on."),
  },
  "must be an object.",
);

function isMoment(value: number): boolean {
  return !Number.isNaN(new Date(value).getTime());
}
