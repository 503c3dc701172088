import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { QuotaConfigError } from "../src/quotaConfigError.js";
import { plantRatePlan, ratePathFrom, type RatePlan } from "../src/ratePlan.js";
import type { RatePlanInput, RatePlanNodeInput } from "../src/readRatePlan.js";
import { climb, forest } from "./rateForest.js";

function planted(input: RatePlanInput): RatePlan {
  const result = plantRatePlan(input);
  if (!result.ok) throw new Error(result.faults.map((fault) => fault.message).join("\n"));
  return result.plan;
}

function faultsOf(input: unknown): string[] {
  const result = plantRatePlan(input as RatePlanInput);
  return result.ok ? [] : result.faults.map(({ path, code }) => `${path} ${code}`);
}

const org = { id: "org", kind: "organisation" };
const team = { id: "team", kind: "team", parent: "org" };
const key = { id: "key", kind: "key", parent: "team" };

describe("a rate plan that is planted", () => {
  it("is empty when it has no nodes", () => {
    expect(planted({ nodes: [] })).toEqual({ nodes: new Map(), path: [] });
  });

  it("takes nodes in any order and keeps that order", () => {
    const plan = planted({ nodes: [key, org, team] });
    expect([...plan.nodes.keys()]).toEqual(["key", "org", "team"]);
    expect(ratePathFrom(plan, "key").map((node) => node.id)).toEqual(["key", "team", "org"]);
  });

  it.each([undefined, null])("takes a limit of %s for a shared node", (rpm) => {
    expect(planted({ nodes: [{ ...org, rpm }] }).nodes.get("org")?.rpm).toBeUndefined();
  });

  it.each([0, 1, Number.MAX_SAFE_INTEGER])("takes a limit of %s for a fixed node", (tpm) => {
    expect(planted({ nodes: [{ ...org, tpm }] }).nodes.get("org")?.tpm?.limit).toBe(tpm);
  });

  it("reads a limit of −0 as 0", () => {
    expect(planted({ nodes: [{ ...org, tpm: -0 }] }).nodes.get("org")?.tpm?.limit).toBe(0);
  });

  it("sees the nearest fixed nodes through shared ones, in each dimension by itself", () => {
    const plan = planted({
      nodes: [
        { ...org, rpm: 10, tpm: 1000 },
        { ...team, tpm: 500 },
        { ...key, rpm: 2, tpm: 100 },
        { id: "user", kind: "user", parent: "org", rpm: 3 },
      ],
    });
    expect(plan.nodes.get("org")?.rpm).toEqual({
      limit: 10,
      fixedAbove: undefined,
      fixedBelow: [
        { id: "key", limit: 2 },
        { id: "user", limit: 3 },
      ],
      limitsBelow: 5,
    });
    expect(plan.nodes.get("org")?.tpm?.fixedBelow).toEqual([{ id: "team", limit: 500 }]);
    expect(plan.nodes.get("key")?.rpm?.fixedAbove).toBe("org");
    expect(plan.nodes.get("key")?.tpm?.fixedAbove).toBe("team");
  });

  it("is frozen through and through", () => {
    const plan = planted({
      nodes: [
        { ...org, rpm: 5 },
        { ...team, rpm: 2 },
      ],
      path: ["team", "org"],
    });
    const node = plan.nodes.get("org");
    for (const part of [plan, plan.path, node, node?.rpm, node?.rpm?.fixedBelow, node?.rpm?.fixedBelow[0]])
      expect(Object.isFrozen(part)).toBe(true);
  });

  it("does not change with its input afterwards", () => {
    const nodes = [{ ...org, rpm: 5 }];
    const plan = planted({ nodes });
    nodes[0]!.rpm = 9;
    expect(plan.nodes.get("org")?.rpm?.limit).toBe(5);
  });

  it("keeps its path, which may start above the leaves", () => {
    expect(planted({ nodes: [org, team, key], path: ["team", "org"] }).path.map((node) => node.id)).toEqual([
      "team",
      "org",
    ]);
  });

  it("has an empty path when it was given none", () => {
    expect(planted({ nodes: [org] }).path).toEqual([]);
  });
});

describe("a rate plan that is refused", () => {
  it.each<[string, unknown, string[]]>([
    ["nodes that are no list", { nodes: { org } }, ["nodes not-a-list"]],
    ["nodes that are missing", {}, ["nodes not-a-list"]],
    [
      "a node that is no object",
      { nodes: [org, null, "key"] },
      ["nodes[1] not-a-node", "nodes[2] not-a-node"],
    ],
    ["an empty id", { nodes: [{ ...org, id: "" }] }, ["nodes[0].id id-missing"]],
    ["an id that is no text", { nodes: [{ ...org, id: 7 }] }, ["nodes[0].id id-missing"]],
    ["an id of a megabyte", { nodes: [{ ...org, id: "x".repeat(1_000_000) }] }, ["nodes[0].id id-too-long"]],
    ["an id taken twice", { nodes: [org, team, { ...org, rpm: 1 }] }, ["nodes[2].id duplicate-id"]],
    ["no kind", { nodes: [{ id: "org" }] }, ["nodes[0].kind kind-missing"]],
    [
      "a kind that is no text",
      { nodes: [{ id: "org", kind: Object.create(null) as unknown }] },
      ["nodes[0].kind kind-missing"],
    ],
    ["an empty kind", { nodes: [{ id: "org", kind: "" }] }, ["nodes[0].kind kind-missing"]],
    ["a negative limit", { nodes: [{ ...org, rpm: -1 }] }, ["nodes[0].rpm bad-limit"]],
    ["minus infinity", { nodes: [{ ...org, rpm: -Infinity }] }, ["nodes[0].rpm bad-limit"]],
    ["a fraction", { nodes: [{ ...org, tpm: 0.5 }] }, ["nodes[0].tpm bad-limit"]],
    ["NaN", { nodes: [{ ...org, tpm: NaN }] }, ["nodes[0].tpm bad-limit"]],
    ["infinity", { nodes: [{ ...org, tpm: Infinity }] }, ["nodes[0].tpm bad-limit"]],
    ["a limit past 2^53 − 1", { nodes: [{ ...org, tpm: 2 ** 53 }] }, ["nodes[0].tpm bad-limit"]],
    ["a limit written as text", { nodes: [{ ...org, rpm: "10" }] }, ["nodes[0].rpm bad-limit"]],
    ["a limit of true", { nodes: [{ ...org, rpm: true }] }, ["nodes[0].rpm bad-limit"]],
    ["an unknown parent", { nodes: [team] }, ["nodes[0].parent unknown-parent"]],
    ["an empty parent", { nodes: [{ ...org, parent: "" }] }, ["nodes[0].parent unknown-parent"]],
    [
      "a parent that Object would know",
      { nodes: [{ ...org, parent: "constructor" }] },
      ["nodes[0].parent unknown-parent"],
    ],
    ["a parent that is no id", { nodes: [{ ...org, parent: 0 }] }, ["nodes[0].parent bad-parent"]],
    ["a node above itself", { nodes: [{ ...org, parent: "org" }] }, ["nodes[0].parent cycle"]],
    [
      "a circle, once, whatever hangs from it",
      { nodes: [key, team, { ...org, parent: "team" }] },
      ["nodes[1].parent cycle"],
    ],
    [
      "two circles",
      { nodes: [{ ...org, parent: "org" }, { ...team, parent: "key" }, key] },
      ["nodes[0].parent cycle", "nodes[1].parent cycle"],
    ],
    ["a path that is no list", { nodes: [org], path: "org" }, ["path not-a-list"]],
    ["a path of null, which is not an empty one", { nodes: [org], path: null }, ["path not-a-list"]],
    ["a path to a node that is not there", { nodes: [org], path: ["ghost"] }, ["path[0] unknown-path-node"]],
    ["a path of numbers", { nodes: [org], path: [0] }, ["path[0] unknown-path-node"]],
    [
      "a path that stops below the root",
      { nodes: [org, team, key], path: ["key", "team"] },
      ["path[1] unfinished-path"],
    ],
    ["a path that skips a node", { nodes: [org, team, key], path: ["key", "org"] }, ["path[0] broken-path"]],
    [
      "a path from the root down",
      { nodes: [org, team, key], path: ["org", "team", "key"] },
      ["path[0] broken-path", "path[1] broken-path", "path[2] unfinished-path"],
    ],
    [
      "a path that goes on past the root",
      { nodes: [org, { ...org, id: "b" }], path: ["org", "b"] },
      ["path[0] broken-path"],
    ],
  ])("for %s", (_, input, faults) => {
    expect(faultsOf(input)).toEqual(faults);
  });

  it("lists everything at once, with the node, the field and the remedy", () => {
    const result = plantRatePlan({
      nodes: [
        { ...org, rpm: -5, tpm: 1.5 },
        { ...team, parent: "nobody" },
      ],
      path: ["team"],
    });
    expect(result).toEqual({
      ok: false,
      faults: [
        {
          path: "nodes[0].rpm",
          code: "bad-limit",
          nodeId: "org",
          field: "rpm",
          message:
            'nodes[0].rpm of "org" is negative (-5); give 0 to refuse everything, or leave it out for no limit.',
        },
        {
          path: "nodes[0].tpm",
          code: "bad-limit",
          nodeId: "org",
          field: "tpm",
          message:
            'nodes[0].tpm of "org" is not whole (1.5); round it, for a minute has whole requests and tokens.',
        },
        {
          path: "nodes[1].parent",
          code: "unknown-parent",
          nodeId: "team",
          field: "parent",
          message:
            'nodes[1].parent of "team" is "nobody", which is no node; add that node, or leave the parent out for a root.',
        },
        {
          path: "path[0]",
          code: "unfinished-path",
          nodeId: "team",
          message: 'path[0] does not lead to the root; go on with "nobody", the parent of "team".',
        },
      ],
    });
  });

  it("shows a long circle by its beginning and its length", () => {
    const nodes = Array.from({ length: 1000 }, (_, i) => ({
      id: `n${String(i)}`,
      kind: "k",
      parent: `n${String((i + 1) % 1000)}`,
    }));
    const result = plantRatePlan({ nodes });
    expect(!result.ok && result.faults.map((fault) => fault.message)).toEqual([
      'nodes[0].parent closes a circle: "n0" → "n1" → "n2" → "n3" → "n4" → … (1000 nodes) → "n0"; give one of them a parent outside it, or none.',
    ]);
  });
});

describe("a path from a leaf of the plan", () => {
  it("throws for a node that the plan does not have, instead of letting everything pass", () => {
    const plan = planted({ nodes: [org] });
    expect(() => ratePathFrom(plan, "key")).toThrow(QuotaConfigError);
    expect(() => ratePathFrom(plan, "constructor")).toThrow(
      'leafId: "constructor" is no node of the rate plan.',
    );
  });
});

describe("a warning", () => {
  const warningsOf = (nodes: readonly RatePlanNodeInput[]): string[] => {
    const result = plantRatePlan({ nodes });
    return result.ok
      ? result.warnings.map(({ path, code, nodeId }) => `${path} ${code} ${nodeId ?? ""}`)
      : ["faults"];
  };

  it("says how far children are promised more than there is", () => {
    const result = plantRatePlan({
      nodes: [
        { ...org, rpm: 100 },
        { id: "a", kind: "key", parent: "org", rpm: 80 },
        { id: "b", kind: "key", parent: "org", rpm: 80 },
      ],
    });
    expect(result.ok && result.warnings).toEqual([
      {
        path: "nodes[0].rpm",
        code: "over-committed",
        nodeId: "org",
        field: "rpm",
        message:
          'nodes[0].rpm of "org" is 100, but the 2 limits below it add up to 160: under load they get less than they say; raise it to 160, or lower those.',
      },
    ]);
  });

  it.each<[string, RatePlanNodeInput[], string[]]>([
    [
      "nothing when the promises just fit",
      [
        { ...org, rpm: 5 },
        { ...team, rpm: 5 },
      ],
      [],
    ],
    [
      "nothing when only the other dimension is fixed below",
      [
        { ...org, rpm: 5 },
        { ...team, tpm: 9 },
      ],
      [],
    ],
    [
      "a promise beyond a shared node",
      [{ ...org, tpm: 5 }, team, { ...key, tpm: 6 }],
      ["nodes[0].tpm over-committed org"],
    ],
    [
      "a promise by the nearest fixed node only",
      [
        { ...org, rpm: 9 },
        { ...team, rpm: 5 },
        { ...key, rpm: 6 },
      ],
      ["nodes[1].rpm over-committed team"],
    ],
    [
      "a promise below a limit of 0",
      [
        { ...org, rpm: 0 },
        { ...team, rpm: 1 },
      ],
      ["nodes[0].rpm over-committed org"],
    ],
    [
      "promises whose sum no double can hold exactly",
      [
        { ...org, rpm: Number.MAX_SAFE_INTEGER },
        { ...team, rpm: Number.MAX_SAFE_INTEGER },
        { id: "b", kind: "team", parent: "org", rpm: 1 },
      ],
      ["nodes[0].rpm over-committed org"],
    ],
  ])("names %s", (_, nodes, warnings) => {
    expect(warningsOf(nodes)).toEqual(warnings);
  });
});

describe("however a forest looks", () => {
  it("F(i) and S(i) are what climbing from each fixed node finds", () => {
    fc.assert(
      fc.property(forest, fc.constantFrom("rpm" as const, "tpm" as const), (nodes, dimension) => {
        const plan = planted({ nodes });
        const limitOf = (id: string): number | undefined =>
          nodes.find((node) => node.id === id)?.[dimension] ?? undefined;
        const nearestAbove = (id: string): string | undefined =>
          climb(nodes, id)
            .slice(1)
            .find((above) => limitOf(above) !== undefined);
        for (const { id } of nodes) {
          const found = plan.nodes.get(id)?.[dimension];
          expect(found?.limit).toBe(limitOf(id));
          if (found === undefined) continue;
          const below = nodes.filter(
            (node) => limitOf(node.id) !== undefined && nearestAbove(node.id) === id,
          );
          expect(found.fixedAbove).toBe(nearestAbove(id));
          expect(found.fixedBelow.map((child) => child.id).sort()).toEqual(
            below.map((node) => node.id).sort(),
          );
          expect(found.limitsBelow).toBe(below.reduce((sum, node) => sum + limitOf(node.id)!, 0));
        }
      }),
    );
  });

  it("every climb to a root is a path, and nothing else is", () => {
    fc.assert(
      fc.property(forest, fc.nat(), fc.nat(), (nodes, pick, cut) => {
        const leaf = nodes[pick % nodes.length]!.id;
        const path = climb(nodes, leaf);
        expect(planted({ nodes, path }).path).toEqual(ratePathFrom(planted({ nodes }), leaf));
        const without = path.filter((_, i) => i !== cut % path.length);
        const isChain = cut % path.length === 0; // what is left above the leaf leads to the root too
        expect(plantRatePlan({ nodes, path: without }).ok).toBe(isChain);
        expect(plantRatePlan({ nodes, path: [...path, leaf] }).ok).toBe(false);
      }),
    );
  });

  it("one parent bent downwards is a circle", () => {
    fc.assert(
      fc.property(forest, fc.nat(), (nodes, pick) => {
        const bottom = nodes[pick % nodes.length]!.id;
        const top = climb(nodes, bottom).at(-1)!;
        const bent = nodes.map((node) => (node.id === top ? { ...node, parent: bottom } : node));
        const result = plantRatePlan({ nodes: bent });
        expect(!result.ok && result.faults.map((fault) => fault.code)).toEqual(["cycle"]);
      }),
    );
  });

  it.each(["first", "last"])(
    "a chain of 100 000 nodes is planted, its root %s",
    (root) => {
      const nodes = Array.from({ length: 100_000 }, (_, i) => ({
        id: String(i),
        kind: "node",
        rpm: 100_000 - i,
        parent: i === 0 ? null : String(i - 1),
      }));
      if (root === "last") nodes.reverse();
      const plan = planted({ nodes, path: Array.from(nodes.keys(), (i) => String(99_999 - i)) });
      expect(plan.nodes.get("99999")?.rpm?.fixedAbove).toBe("99998");
      expect(plan.path).toHaveLength(100_000);
      expect(ratePathFrom(plan, "99999")).toHaveLength(100_000);
    },
    60_000,
  );

  it("a circle of 100 000 nodes is found, and a star of as many is planted", () => {
    const ring = Array.from({ length: 100_000 }, (_, i) => ({
      id: String(i),
      kind: "k",
      parent: String((i + 1) % 100_000),
    }));
    expect(faultsOf({ nodes: ring })).toEqual(["nodes[0].parent cycle"]);
    const star = [
      { ...org, rpm: 100_000 },
      ...ring.map(({ id }) => ({ id, kind: "k", rpm: 1, parent: "org" })),
    ];
    expect(planted({ nodes: star }).nodes.get("org")?.rpm?.limitsBelow).toBe(100_000);
  }, 60_000);
});
