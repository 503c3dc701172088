import type { Fault } from "./fault.js";
import { idFault } from "./id.js";

/** One node as it is written down. A limit that is `null` or absent is *shared*; 0 is a limit that refuses everything. */
export interface RatePlanNodeInput {
  readonly id: string;
  /** What the node is, such as `"organisation"` or `"key"`; the text of a refusal begins with this word. */
  readonly kind: string;
  readonly rpm?: number | null | undefined;
  readonly tpm?: number | null | undefined;
  /** The id of the node above; `null` or absent for a root. */
  readonly parent?: string | null | undefined;
}

export interface RatePlanInput {
  /** The whole forest, in any order. */
  readonly nodes: readonly RatePlanNodeInput[];
  /** The caller's ids from its leaf to its root, where the plan is planted for one caller. */
  readonly path?: readonly string[] | undefined;
}

/** A fault, or a warning, with the node it is about (where that has a usable id) and the field of the node. */
export interface RatePlanFault extends Fault {
  readonly nodeId?: string;
  readonly field?: "id" | "kind" | "rpm" | "tpm" | "parent";
}

/** A node that was read but is not yet related to the others. */
export interface RatePlanSeed {
  readonly id: string;
  readonly kind: string;
  readonly parent: string | undefined;
  readonly rpm: number | undefined;
  readonly tpm: number | undefined;
  /** Where it stood in the input, such as `nodes[2]`. */
  readonly at: string;
}

export interface RatePlanSeeds {
  /** In the order in which they were given. */
  readonly seeds: ReadonlyMap<string, RatePlanSeed>;
  /** The same seeds, every parent before its children (as far as there are no circles). */
  readonly parentsFirst: readonly RatePlanSeed[];
  readonly path: readonly string[];
  /** Everything that is wrong; only without any may the rest be trusted. */
  readonly faults: readonly RatePlanFault[];
}

/** Reads and checks what was written down; never recursive, linear in the number of nodes. */
export function readRatePlan({ nodes, path = [] }: RatePlanInput): RatePlanSeeds {
  const faults: RatePlanFault[] = [];
  const seeds = readNodes(nodes, faults);
  const parentsFirst = sortParentsFirst(seeds, faults);
  return { seeds, parentsFirst, path: readPath(path, seeds, faults), faults };
}

/** The typed input as it may really arrive, from JSON. */
type Unread<Value> = { readonly [Field in keyof Value]?: unknown };

function readNodes(nodes: unknown, faults: RatePlanFault[]): Map<string, RatePlanSeed> {
  const seeds = new Map<string, RatePlanSeed>();
  if (!Array.isArray(nodes)) {
    faults.push({
      path: "nodes",
      code: "not-a-list",
      message: "nodes must be a list; give the nodes of the plan, [] for none.",
    });
    return seeds;
  }
  for (const [index, node] of (nodes as readonly unknown[]).entries()) {
    const at = `nodes[${String(index)}]`;
    if (typeof node !== "object" || node === null)
      faults.push({
        path: at,
        code: "not-a-node",
        message: `${at} must be an object; give { id, kind, rpm?, tpm?, parent? }.`,
      });
    else readNode(node, { at, seeds, faults });
  }
  return seeds;
}

interface Bed {
  readonly at: string;
  readonly seeds: Map<string, RatePlanSeed>;
  readonly faults: RatePlanFault[];
}

function readNode(node: Unread<RatePlanNodeInput>, { at, seeds, faults }: Bed): void {
  const badId = idFault(node.id, `${at}.id`);
  if (badId !== undefined) faults.push({ ...badId, field: "id" });
  const known = badId === undefined ? { nodeId: node.id as string } : {};
  const fault = (field: NonNullable<RatePlanFault["field"]>, code: string, text: string): void => {
    const name = known.nodeId === undefined ? "" : ` of ${quote(known.nodeId)}`;
    faults.push({ path: `${at}.${field}`, code, ...known, field, message: `${at}.${field}${name} ${text}` });
  };

  if (typeof node.kind !== "string" || node.kind === "")
    fault("kind", "kind-missing", 'must be a word; say what the node is, such as "team" or "key".');
  for (const dimension of ["rpm", "tpm"] as const) {
    const wrong = limitProblem(node[dimension]);
    if (wrong !== undefined) fault(dimension, "bad-limit", wrong);
  }
  const parent = node.parent ?? undefined;
  if (parent !== undefined && typeof parent !== "string")
    fault("parent", "bad-parent", "must be the id of another node; leave it out for a root.");

  if (known.nodeId === undefined) return;
  const id = known.nodeId;
  const first = seeds.get(id);
  if (first !== undefined) {
    fault("id", "duplicate-id", `is taken by ${first.at}; give each node an id of its own.`);
    return;
  }
  seeds.set(id, {
    id,
    kind: typeof node.kind === "string" ? node.kind : "",
    parent: typeof parent === "string" ? parent : undefined,
    rpm: readLimit(node.rpm),
    tpm: readLimit(node.tpm),
    at,
  });
}

/** −0 is 0; what is no limit has been reported as a fault and may pass here. */
function readLimit(value: unknown): number | undefined {
  return typeof value === "number" ? value + 0 : undefined;
}

function limitProblem(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value !== "number" || Number.isNaN(value))
    return "is not a number; give a whole number per minute, or leave it out for a node without a limit of its own.";
  if (value < 0)
    return `is negative (${String(value)}); give 0 to refuse everything, or leave it out for no limit.`;
  if (value > Number.MAX_SAFE_INTEGER)
    return `is too large to be counted exactly (${String(value)}); leave it out for no limit, or give at most ${String(Number.MAX_SAFE_INTEGER)}.`;
  if (!Number.isInteger(value))
    return `is not whole (${String(value)}); round it, for a minute has whole requests and tokens.`;
  return undefined;
}

function sortParentsFirst(seeds: ReadonlyMap<string, RatePlanSeed>, faults: RatePlanFault[]): RatePlanSeed[] {
  const sorted: RatePlanSeed[] = [];
  /** By node: the start of the walk that met it first. A walk that meets a node of its own goes round in a circle. */
  const metFrom = new Map<RatePlanSeed, RatePlanSeed>();
  for (const start of seeds.values()) {
    const trail: RatePlanSeed[] = [];
    let seed: RatePlanSeed | undefined = start;
    for (; seed !== undefined && !metFrom.has(seed); seed = parentOf(seed, seeds, faults)) {
      metFrom.set(seed, start);
      trail.push(seed);
    }
    if (seed !== undefined && metFrom.get(seed) === start)
      faults.push(circle(trail.slice(trail.indexOf(seed))));
    for (const below of trail.reverse()) sorted.push(below);
  }
  return sorted;
}

/** Called once per node, so that an unknown parent is reported once. */
function parentOf(
  seed: RatePlanSeed,
  seeds: ReadonlyMap<string, RatePlanSeed>,
  faults: RatePlanFault[],
): RatePlanSeed | undefined {
  if (seed.parent === undefined) return undefined;
  const parent = seeds.get(seed.parent);
  if (parent === undefined)
    faults.push({
      path: `${seed.at}.parent`,
      code: "unknown-parent",
      nodeId: seed.id,
      field: "parent",
      message: `${seed.at}.parent of ${quote(seed.id)} is ${quote(seed.parent)}, which is no node; add that node, or leave the parent out for a root.`,
    });
  return parent;
}

function circle(members: readonly RatePlanSeed[]): RatePlanFault {
  const first = members[0]!;
  const shown = members.slice(0, 5).map((seed) => quote(seed.id));
  if (members.length > shown.length) shown.push(`… (${String(members.length)} nodes)`);
  return {
    path: `${first.at}.parent`,
    code: "cycle",
    nodeId: first.id,
    field: "parent",
    message: `${first.at}.parent closes a circle: ${[...shown, quote(first.id)].join(" → ")}; give one of them a parent outside it, or none.`,
  };
}

function readPath(
  path: unknown,
  seeds: ReadonlyMap<string, RatePlanSeed>,
  faults: RatePlanFault[],
): readonly string[] {
  if (!Array.isArray(path)) {
    faults.push({
      path: "path",
      code: "not-a-list",
      message: "path must be a list; give the ids from the leaf to the root.",
    });
    return [];
  }
  const ids = path as readonly unknown[];
  for (const [index, id] of ids.entries()) {
    const at = `path[${String(index)}]`;
    const seed = typeof id === "string" ? seeds.get(id) : undefined;
    if (seed === undefined) {
      const shown = typeof id === "string" ? quote(id) : typeof id;
      faults.push({
        path: at,
        code: "unknown-path-node",
        message: `${at} is ${shown}, which is no node; give the id of a node of this plan.`,
      });
      continue;
    }
    const next = ids[index + 1];
    if (seed.parent === next) continue;
    const here = quote(seed.id);
    const code = index + 1 === ids.length ? "unfinished-path" : "broken-path";
    const remedy =
      seed.parent === undefined
        ? `${here} is a root; end the path here.`
        : `go on with ${quote(seed.parent)}, the parent of ${here}.`;
    faults.push({ path: at, code, nodeId: seed.id, message: `${at} does not lead to the root; ${remedy}` });
  }
  return path as readonly string[];
}

function quote(id: string): string {
  return JSON.stringify(id.length > 60 ? `${id.slice(0, 60)}…` : id);
}
