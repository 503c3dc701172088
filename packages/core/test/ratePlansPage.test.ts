import {
  checkRatePlan,
  plantRatePlan,
  rateRefusalText,
  ratePathFrom,
  type RatePlan,
  type RateUsage,
} from "@quota/core";
import { describe, expect, it, test } from "vitest";
import { markdownTable, page } from "./markdownTable.js";

const text = page("docs/rate-plans.md");

function planted(nodes: Parameters<typeof plantRatePlan>[0]["nodes"]): RatePlan {
  const result = plantRatePlan({ nodes });
  if (!result.ok) throw new Error(result.faults.map(({ message }) => message).join("\n"));
  return result.plan;
}

/** Sends so many requests and charges those that pass; how many, and the words of the last refusal. */
function send(
  minute: { readonly plan: RatePlan; readonly usage: Map<string, RateUsage> },
  who: string,
  times: number,
): { readonly passed: number; readonly because: string } {
  let passed = 0;
  let because = "";
  for (let i = 0; i < times; i += 1) {
    const answer = checkRatePlan({ ...minute, path: ratePathFrom(minute.plan, who), estimate: 0 });
    if (!answer.allowed) because = rateRefusalText(answer.refusal);
    else {
      passed += 1;
      for (const { nodeId } of answer.charges)
        minute.usage.set(nodeId, { requests: (minute.usage.get(nodeId)?.requests ?? 0) + 1, tokens: 0 });
    }
  }
  return { passed, because };
}

describe("docs/rate-plans.md", () => {
  const rows = markdownTable(text, "node");
  const plan = planted(
    rows.map((row) => ({
      id: row["node"]!,
      kind: row["kind"]!,
      parent: row["below"] === "" ? undefined : row["below"],
      rpm: row["rpm"] === "" ? undefined : Number(row["rpm"]),
    })),
  );
  const minute = { plan, usage: new Map<string, RateUsage>() };

  it("tells truly how a minute at Acme goes, and what stands at its end", () => {
    expect([...plan.nodes.keys()]).toEqual(["acme", "search", "key-a", "key-b", "key-c"]);
    for (const step of markdownTable(text, "step")) {
      const { passed, because } = send(minute, step["who"]!, Number(step["asks for"]));
      expect(passed, `step ${step["step"]!}`).toBe(Number(step["passes"]));
      expect(because).toBe(step["because"]);
    }
    for (const row of markdownTable(text, "at")) {
      const { limit, fixedBelow } = plan.nodes.get(row["at"]!)!.rpm!;
      const used = (id: string): number => minute.usage.get(id)?.requests ?? 0;
      const held = fixedBelow.reduce((sum, child) => sum + Math.max(0, child.limit - used(child.id)), 0);
      expect([used(row["at"]!), held, limit - used(row["at"]!) - held].map(String)).toEqual([
        row["used"],
        row["held for children"],
        row["left"],
      ]);
    }
  });

  test.each(markdownTable(text, "limit above"))(
    "$limits below below $limit above: $each below gets",
    (row) => {
      const [a, b] = row["limits below"]!.split(" + ").map(Number);
      const nodes = planted([
        { id: "above", kind: "organisation", rpm: Number(row["limit above"]) },
        { id: "a", kind: "key", rpm: a, parent: "above" },
        { id: "b", kind: "key", rpm: b, parent: "above" },
      ]);
      const crowded = { plan: nodes, usage: new Map<string, RateUsage>() };
      for (const who of ["a", "b"])
        expect(send(crowded, who, 200).passed).toBe(Number(row["each below gets"]));
    },
  );
});
