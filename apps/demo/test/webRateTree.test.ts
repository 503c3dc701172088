import { expect, test } from "vitest";
import { rateTree } from "../web/src/rates/rateTree.js";
import type { RateNode } from "../web/src/rates/useRates.js";
import { visibleRates } from "../web/src/rates/visibleRates.js";

const acme = { kind: "organisation", id: "acme" } as const;
const search = { kind: "team", id: "search" } as const;
const nodes = [
  node(acme),
  node(search, acme),
  node({ kind: "key", id: "alice" }, search),
  node({ kind: "key", id: "bob" }, acme),
];
const all = ["organisation:acme", "team:search", "key:alice", "key:bob"];

test.each<readonly [string, { open?: string[]; kept?: string[]; shown: string[] }]>([
  ["an open branch shows what is in it", { open: ["organisation:acme", "team:search"], shown: all }],
  [
    "a closed one does not, and neither what is open in it",
    { open: ["team:search"], shown: all.slice(0, 1) },
  ],
  ["a closed one keeps a line and what leads to it", { kept: ["key:alice"], shown: all.slice(0, 3) }],
  ["a closed one in an open one keeps a line", { open: [all[0]!], kept: ["key:alice"], shown: all }],
])("%s", (_, { open = [], kept = [], shown }) => {
  const lines = visibleRates(
    rateTree(nodes),
    ({ key }) => open.includes(key),
    ({ key }) => kept.includes(key),
  );
  expect(lines.map(({ branch }) => branch.key)).toEqual(shown);
});

function node(of: Pick<RateNode, "kind" | "id">, parent?: RateNode["parent"]): RateNode {
  const dimension = { limit: null, used: 0, heldForChildren: 0, left: "unlimited" } as const;
  return { ...of, name: of.id, version: 1, rpm: dimension, tpm: dimension, ...(parent && { parent }) };
}
