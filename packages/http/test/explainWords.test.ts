import { type Decision, type DimensionQuestion, type LendingSpec } from "@quota/core";
import { explainWords, explanationJson, type Explanation } from "@quota/http";
import { describe, expect, test } from "vitest";
import { asked, decided, decidedUnder, NOON, refused, sharing } from "./decisions.js";

const RULES = ["threshold", "reserve", "static", "open"] as const;

/** What the engine would explain of bob's request. */
function explained(question: DimensionQuestion, lending: (typeof RULES)[number] = "reserve"): Explanation {
  const rules = RULES.map((rule) => ({ lending: rule, decision: decidedUnder(rule, question) }));
  const { decision } = rules.find((rule) => rule.lending === lending)!;
  const [dimension] = decision.dimensions;
  const { reserve } = dimension!;
  return {
    ...{ poolId: "team", apiKeyId: "bob", generatedAt: NOON, lending, decision, rules },
    heldFor:
      reserve === undefined
        ? []
        : [{ dimension: dimension!.name, keys: reserve.holders ?? 0, amount: reserve.forOthers }],
  };
}

/** Of a decision by itself, no other rule beside it. */
const alone = (decision: Decision, lending: LendingSpec = "threshold") =>
  explainWords({ lending, decision, rules: [], generatedAt: NOON });

describe("A decision in words", () => {
  const cases: [sentence: string, words: readonly string[], expected: readonly string[]][] = [
    [
      "says what is held for how many, when it opens, and what each other rule would say",
      explainWords(explained(sharing({ bob: 48 }))),
      [
        "Refused under reserve, in requests/hourly: what is left is held for keys that have not used their shares.",
        "requests/hourly: the key has used 48 of a share of 30; this request needs 1.",
        "requests/hourly: 52 of the pool's 100 are unused: 52 held for 2 other keys, 0 for this key, 0 left for anybody.",
        "Opens 12:00:01 UTC, if nobody else acts.",
        "Under threshold: passes, up to 52 of requests/hourly.",
        "Under static: refused in requests/hourly, since the key's share is used up, and nothing may be borrowed now; no wait is known to open it.",
        "Under open: passes, up to 52 of requests/hourly.",
      ],
    ],
    [
      "counts one other key as one",
      explainWords(explained(sharing({ bob: 20, alice: 50, cost: 0 }))).slice(0, 3),
      [
        "Passes under reserve.",
        "requests/hourly: the key has used 20 of a share of 30.",
        "requests/hourly: 30 of the pool's 100 are unused: 15 held for 1 other key, 10 for this key, 5 left for anybody.",
      ],
    ],
    [
      "says that nothing is held where nothing is",
      explainWords(explained(sharing({ bob: 20, alice: 50, carol: 20 }))).slice(2, 3),
      [
        "requests/hourly: 10 of the pool's 100 are unused: nothing held for other keys, 10 for this key, 0 left for anybody.",
      ],
    ],
    [
      "says how sure it is where nobody has looked at every key",
      alone(decidedUnder("reserve", sharing({ bob: 20, looked: false })), {
        rule: "reserve",
        curve: { hold: 4 },
      }),
      [
        "Passes under reserve (hold 4).",
        "requests/hourly: the key has used 20 of a share of 30; this request needs 1.",
        "requests/hourly: 80 of the pool's 100 are unused: at most 70 held for other keys, 10 for this key, 0 left for anybody.",
      ],
    ],
    [
      "does not speak of reserves under other rules",
      explainWords(explained(sharing({ bob: 60 }), "threshold")).slice(0, 3),
      [
        "Refused under threshold, in requests/hourly: the key's share is used up, and nothing may be borrowed now.",
        "requests/hourly: the key has used 60 of a share of 30; this request needs 1.",
        "No wait is known to open it.",
      ],
    ],
    [
      "names the borrowing limit where the rule alone would let it pass",
      alone(decidedUnder("reserve", { ...sharing({ bob: 40 }), most: 40 }), "reserve").slice(0, 1),
      ["Refused under reserve, in requests/hourly: the key may borrow no more than its borrowing limit."],
    ],
    [
      "says who passes behind others",
      alone(decided([asked("requests", "hourly", { limit: 100, used: 60, share: 30 })], NOON, "soft")).slice(
        0,
        1,
      ),
      [
        "Passes under threshold, behind others, in requests/hourly: the key is past its share, and its policy is soft.",
      ],
    ],
    [
      "tells of a cap and of what is in flight",
      alone(
        refused({ reason: "in-flight", cause: "cap-absolute", dimension: { cap: 412_000, held: 7_000 } }),
      ),
      [
        "Refused under threshold, in tokens/5h: only requests in flight stand in the way (until they end, the key's own cap is reached).",
        "tokens/5h: the key has used 412 000 of a share of 400 000, 7 000 of it in flight; the key's own cap is 412 000; this request needs 1 200.",
        "Opens when requests in flight end.",
      ],
    ],
    [
      "knows no wait for what can never pass",
      alone(refused({ reason: "too-large" })).filter((_, i) => i !== 1),
      [
        "Refused under threshold, in tokens/5h: it is larger than what could ever pass.",
        "No wait is known to open it.",
      ],
    ],
    [
      "of a pool that admits nobody else has no numbers",
      alone(refused({ reason: "not-allocated" })),
      [
        "Refused under threshold: the key has no allocation, and this pool admits nobody else.",
        "No wait is known to open it.",
      ],
    ],
    [
      "of a contended pool asks to come back",
      alone(refused({ reason: "contended" })),
      [
        "Refused under threshold: so many requests came at once that none could be decided.",
        "Worth another try in a second.",
      ],
    ],
    [
      "of an empty plan says that nobody is limited",
      alone({ status: "ungoverned", allowed: true, why: "empty-plan", dimensions: [] }),
      ["Nobody is limited here: the plan of this connection has no dimensions."],
    ],
  ];
  test.each(cases)("%s", (_sentence, words, expected) => {
    expect(words).toEqual(expected);
  });
});

test("An explanation in the REST API is in units and in words, and names nobody else", () => {
  const json = explanationJson(explained(sharing({ bob: 48 })));
  expect(json).toMatchObject({
    ...{ poolId: "team", apiKeyId: "bob", generatedAt: NOON, lending: "reserve" },
    decision: { status: "refused", reason: "reserved", decidedBy: "requests/hourly", retryAt: NOON + 1 },
    heldFor: [{ dimension: "requests/hourly", unit: "requests", keys: 2, amount: 52 }],
    rules: [
      { lending: "threshold", status: "allowed", allowed: true },
      { lending: "reserve", status: "refused", allowed: false, reason: "reserved", retryAt: NOON + 1 },
      { lending: "static", status: "refused", allowed: false, reason: "fair-share" },
      { lending: "open", available: [{ dimension: "requests/hourly", unit: "requests", amount: 52 }] },
    ],
  });
  expect(json.rules.map(({ decision }) => decision.status)).toEqual(json.rules.map(({ status }) => status));
  expect(json.words).toHaveLength(7);
  expect(JSON.stringify(json)).not.toMatch(/alice|carol/u);
});
