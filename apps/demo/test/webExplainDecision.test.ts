import { decideFairShare, type Decision } from "@quota/core";
import { decisionJson, type DecisionJson, type DimensionDecisionJson } from "@quota/http";
import { describe, expect, test } from "vitest";
import { explainDecision } from "../web/src/explain/explainDecision.js";

const strict: DimensionDecisionJson = {
  name: "requests/hourly",
  unit: "requests",
  window: "hourly",
  limit: 1500,
  lending: "threshold",
  mode: "strict",
  globalUsedPercent: 0.58,
  cost: 1,
  used: 30,
  held: 0,
  total: 870,
  outside: 0,
  share: 450,
  remaining: 420,
  available: 630,
  maxAllowed: 660,
  borrowing: false,
};

const rows: readonly (readonly [string, DecisionJson, string | undefined, string, string])[] = [
  [
    "why bob still passes in a strict pool",
    { status: "allowed", allowed: true, dimensions: [strict] },
    "hard",
    "bob may go on.",
    "bob has used 30 of its share of 450 requests: whoever has not used up its share passes, however strict the pool is.",
  ],
  [
    "why a hard key past its share is refused",
    {
      status: "refused",
      allowed: false,
      reason: "fair-share",
      decidedBy: "requests/hourly",
      dimensions: [{ ...strict, used: 450, remaining: 0, available: 0, refusal: "fair-share" }],
    },
    "hard",
    "bob is refused in requests per hour: the pool is strict, and its share is used up.",
    "which holds it back until the window moves",
  ],
  [
    "why a burst key past its share passes",
    { status: "allowed", allowed: true, dimensions: [{ ...strict, used: 500, borrowing: true }] },
    "burst",
    "bob may go on.",
    "its policy is burst: it passes up to the limit of the whole account",
  ],
  [
    "that a generous pool lends",
    {
      status: "allowed",
      allowed: true,
      dimensions: [{ ...strict, mode: "generous", globalUsedPercent: 0.4, used: 500, borrowing: true }],
    },
    "hard",
    "bob may go on.",
    "borrows the rest from what others leave idle",
  ],
  [
    "what is in flight, and that a cap is near",
    {
      status: "refused",
      allowed: false,
      reason: "in-flight",
      cause: "cap-absolute",
      decidedBy: "requests/hourly",
      dimensions: [{ ...strict, used: 50, held: 20, cap: 50, available: 0, refusal: "in-flight" }],
    },
    "hard",
    "bob is refused in requests per hour: only requests in flight stand in the way (its own cap is reached until they end).",
    "bob has used 50 of its share of 450 requests, 20 of it in flight",
  ],
];

describe("a decision in words says", () => {
  test.each(rows)("%s", (_sentence, decision, policy, headline, part) => {
    const said = explainDecision({ decision, who: "bob", policy });
    expect(said.headline).toBe(headline);
    expect(said.sentences.join(" ")).toContain(part);
  });

  test.each<readonly [DecisionJson["status"], string | undefined, string]>([
    ["ungoverned", "no-pool", "no pool shares this connection"],
    ["ungoverned", "empty-plan", "the plan of this connection has no dimensions"],
    ["unjudged", undefined, "the store did not answer"],
    ["unavailable", undefined, "the store did not answer"],
  ])("of %s (%s) that %s", (status, why, words) => {
    const decision = { status, allowed: true, dimensions: [], ...(why !== undefined && { why }) };
    expect(explainDecision({ decision, who: "bob", policy: undefined }).headline).toContain(words);
  });
});

test("every decision of the rule itself can be said, the one that decided first", () => {
  const decision: Decision = decideFairShare(
    {
      policy: "hard",
      dimensions: [
        {
          dimension: { name: "tokens/5h", unit: "tokens", window: "5h", limit: 1000 },
          used: 0,
          total: 0,
          cost: 1,
          share: 500,
        },
        {
          dimension: { name: "requests/hourly", unit: "requests", window: "hourly", limit: 100 },
          used: 60,
          total: 60,
          cost: 1,
          share: 50,
        },
      ],
    },
    0,
  );
  const { headline, sentences } = explainDecision({
    decision: decisionJson(decision),
    who: "bob",
    policy: "hard",
  });
  expect(headline).toContain("refused in requests per hour");
  expect(sentences[0]).toContain("Requests per hour");
  expect(sentences).toHaveLength(2);
});

test("a limit per minute is named with whose it is, what was used, and what is kept for others", () => {
  const { headline, sentences } = explainDecision({
    decision: {
      status: "refused",
      allowed: false,
      reason: "rate-limit-rpm",
      refusal: {
        node: { kind: "team", id: "search" },
        dimension: "rpm",
        limit: 10,
        used: 7,
        heldForChildren: 3,
        requested: 1,
      },
      dimensions: [],
    },
    who: "bob",
    policy: "hard",
  });
  expect(headline).toBe(
    "bob is refused by the limit of the team \u2068search\u2069: 10 requests per minute.",
  );
  expect(sentences.join(" ")).toContain(
    "7 requests were used, and this request needs 1. 3 are kept for members",
  );
});
