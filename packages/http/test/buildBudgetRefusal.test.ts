import {
  budgetSpan,
  checkBudget,
  parseBudget,
  type BudgetRefused,
  type BudgetSpec,
  type NanoUsd,
  type SubjectKind,
} from "@quota/core";
import { budgetRefusalJson, buildBudgetRefusal, buildRefusal, type Dialect } from "@quota/http";
import { describe, expect, test } from "vitest";
import { NOON } from "./decisions.js";

interface Asked extends Partial<BudgetSpec> {
  readonly kind?: SubjectKind;
  readonly spent?: bigint;
  readonly pending?: bigint;
  readonly estimate?: NanoUsd | "unpriced";
}

/** The refusal of a request by a budget of 20 USD a month, of which 18.5 are spent and one is held by requests under way. */
function refused(asked: Asked = {}): BudgetRefused {
  const {
    kind = "key",
    spent = 18_500_000_000n,
    pending = 1_000_000_000n,
    estimate = 750_000_000,
    ...spec
  } = asked;
  const parsed = parseBudget({ limitUsd: 20, period: "month", ...spec }, NOON);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.faults));
  const budget = parsed.value;
  const span = budgetSpan(budget, NOON);
  const decision = checkBudget(
    { subject: { kind, id: "id_secret" }, budget, span, spent, pending },
    estimate,
  );
  if (decision.allowed) throw new Error("It passed.");
  return decision;
}

const build = (decision: BudgetRefused, dialect: Dialect = "openai", model?: string) =>
  buildBudgetRefusal({ decision, dialect, requestId: "req_7", model }, NOON);

const APRIL = Date.UTC(2026, 3, 1);

describe("A request above a budget", () => {
  test("is told in OpenAI's words what was used of it and when the next period begins", () => {
    const message =
      "key budget: 19.5 of 20 USD a month used, and this request needs 0.75; opens 2026-04-01 00:00 UTC";
    const { status, headers, body } = build(refused());
    expect(status).toBe(429);
    expect(body).toEqual({
      type: "https://iana.org/assignments/http-problem-types#quota-exceeded",
      title: "Request cannot be satisfied as assigned quota has been exceeded",
      status: 429,
      detail: message,
      "violated-policies": ["month-usd"],
      resets_at: APRIL / 1000,
      error: { message, type: "insufficient_quota", code: "budget_exceeded", param: null },
    });
    expect(headers).toEqual({
      "cache-control": "no-store",
      "x-request-id": "req_7",
      "x-quota-reason": "budget_exceeded",
      "retry-after": String((APRIL - NOON) / 1000),
      "retry-after-ms": String(APRIL - NOON),
      "x-should-retry": "false",
    });
  });

  test("is told in Anthropic's", () => {
    expect(build(refused(), "anthropic")).toMatchObject({
      status: 429,
      headers: { "request-id": "req_7", "x-quota-reason": "budget_exceeded", "x-should-retry": "false" },
      body: {
        type: "error",
        error: { type: "rate_limit_error", message: expect.stringContaining("19.5 of 20 USD a month used") },
        request_id: "req_7",
      },
    });
  });

  test("is told in Codex's", () => {
    expect(build(refused(), "codex").body).toMatchObject({
      error: {
        type: "usage_limit_reached",
        resets_at: APRIL / 1000,
        resets_in_seconds: (APRIL - NOON) / 1000,
      },
    });
  });

  test.each<[string, Asked, string]>([
    [
      "needs more than the whole budget",
      { estimate: 20_000_000_001, spent: 0n, pending: 0n },
      "key budget: this request needs 20.000000001 USD, more than the whole budget (20 USD a month); make it smaller",
    ],
    [
      "meets a budget once and for all",
      { period: "once" },
      "key budget: 19.5 of 20 USD in all used, and this request needs 0.75",
    ],
  ])("that %s is not told to come back", (_, asked, message) => {
    const { headers, body } = build(refused(asked));
    expect(headers).toMatchObject({ "x-quota-reason": "budget_exceeded", "x-should-retry": "false" });
    expect(headers).not.toHaveProperty("retry-after");
    expect(body).not.toHaveProperty("resets_at");
    expect(body["error"]).toMatchObject({ message, type: "insufficient_quota" });
  });

  test("is spread over a little of the wait", () => {
    const { headers } = buildBudgetRefusal(
      { decision: refused(), dialect: "openai", requestId: "req_7", jitter: 1 },
      NOON,
    );
    expect(headers["retry-after-ms"]).toBe(String(APRIL - NOON + 30_000));
  });

  test.each<[SubjectKind]>([["team"], ["organisation"], ["user"], ["project"]])(
    "of a %s is told nothing of what the others spent, and no id in any dialect",
    (kind) => {
      for (const dialect of ["openai", "anthropic", "codex"] as const) {
        const told = JSON.stringify(build(refused({ kind }), dialect));
        expect(told).toContain(
          `${kind} budget: 20 USD a month, used or held by requests under way, and this request needs 0.75; opens`,
        );
        expect(told).not.toMatch(/id_secret|19\.5|18\.5/);
      }
    },
  );
});

test.each([
  ["gpt-x", 'key budget: "gpt-x" has no price'],
  [undefined, "key budget: this model has no price"],
  ["m".repeat(5000), `key budget: "${"m".repeat(80)}…" has no price`],
])("A model without a price is named (%s), with the remedy, and no wait helps", (model, message) => {
  const answer = build(refused({ estimate: "unpriced", whenUnpriced: "refuse" }), "openai", model);
  expect(answer.headers).toMatchObject({ "x-quota-reason": "budget_unpriced", "x-should-retry": "false" });
  expect(answer.headers).not.toHaveProperty("retry-after");
  expect(answer.body["error"]).toMatchObject({
    code: "budget_unpriced",
    message: expect.stringContaining(
      `${message}, and this budget lets only pass what has one; give the model a price, or choose another`,
    ),
  });
});

test("A ledger that failed is 503, as for quotas: budgets fail closed", () => {
  const cause = new Error("/var/lib");
  const decision = { status: "unavailable", allowed: false, cause, dimensions: [] } as const;
  const answer = buildBudgetRefusal({ decision, dialect: "openai", requestId: "req_7" }, NOON);
  expect(answer).toEqual(buildRefusal({ decision, dialect: "openai", requestId: "req_7" }, NOON));
  expect(answer).toMatchObject({ status: 503, headers: { "x-quota-reason": "quota_unavailable" } });
});

test("Who administers is told whose budget it is, with exact numbers that JSON can carry", () => {
  expect(JSON.parse(JSON.stringify(budgetRefusalJson(refused({ kind: "team" }))))).toEqual({
    status: "refused",
    allowed: false,
    reason: "budget-exceeded",
    budget: {
      subject: { kind: "team", id: "id_secret" },
      limitUsd: 20,
      period: "month",
      timeZone: "UTC",
      whenUnpriced: "allow",
      opens: Date.UTC(2026, 2, 1),
      ends: APRIL,
      spentUsd: "18.5",
      pendingUsd: "1",
    },
    estimateUsd: "0.75",
    retryAt: APRIL,
    dimensions: [],
  });
});
