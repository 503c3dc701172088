import { parsePoolTerms } from "@quota/core";
import { buildBadRequest, buildFailure, buildProblem, type Failure, type ProblemStatus } from "@quota/http";
import { describe, expect, test } from "vitest";

describe("A problem for those who administer", () => {
  const problems: [status: ProblemStatus, title: string][] = [
    [401, "Unauthorized"],
    [404, "Not Found"],
    [409, "Conflict"],
    [412, "Precondition Failed"],
    [413, "Content Too Large"],
    [503, "Service Unavailable"],
  ];
  test.each(problems)("%i is called %s", (status, title) => {
    expect(buildProblem({ status, detail: "So it is." })).toEqual({
      status,
      headers: { "cache-control": "no-store" },
      contentType: "application/problem+json",
      body: { type: "about:blank", title, status, detail: "So it is." },
    });
  });

  test("a refused write lists every fault that core found, by its place", () => {
    const parsed = parsePoolTerms({
      connectionId: "",
      name: "team",
      allocations: [{ apiKeyId: "a", weight: -10 }],
    });
    const faults = parsed.ok ? [] : parsed.faults;
    const { status, contentType, body } = buildBadRequest(faults);
    expect([status, contentType]).toEqual([400, "application/problem+json"]);
    expect(body).toMatchObject({
      title: "Bad Request",
      detail: "2 things are wrong with this input; nothing was written.",
    });
    expect(body["errors"]).toEqual(faults.map(({ path, message }) => ({ path, message })));
    expect(faults.map(({ path }) => path)).toEqual(["connectionId", "allocations[0].weight"]);
  });

  test("a single fault is the detail itself", () => {
    const body = { detail: "name is missing.", errors: [{ path: "name", message: "name is missing." }] };
    expect(buildBadRequest([{ path: "name", message: "name is missing." }]).body).toMatchObject(body);
  });
});

describe("A failure in the client's dialect", () => {
  const failure: Failure = {
    dialect: "anthropic",
    requestId: "req_1",
    status: 400,
    code: "connection_ambiguous",
    message: "Name one.",
  };
  const types: [status: ProblemStatus, anthropic: string, openai: string][] = [
    [400, "invalid_request_error", "invalid_request_error"],
    [401, "authentication_error", "invalid_request_error"],
    [403, "permission_error", "invalid_request_error"],
    [404, "not_found_error", "invalid_request_error"],
    [413, "request_too_large", "invalid_request_error"],
    [429, "rate_limit_error", "invalid_request_error"],
    [502, "api_error", "server_error"],
    [503, "overloaded_error", "server_error"],
    [504, "timeout_error", "server_error"],
  ];
  test.each(types)("%i is %s to Anthropic and %s to OpenAI", (status, anthropic, openai) => {
    expect(buildFailure({ ...failure, status }).body).toEqual({
      type: "error",
      error: { type: anthropic, message: "Name one." },
      request_id: "req_1",
    });
    const error = { message: "Name one.", type: openai, code: "connection_ambiguous", param: null };
    expect(buildFailure({ ...failure, status, dialect: "openai" }).body).toMatchObject({
      status,
      detail: "Name one.",
      error,
    });
    expect(buildFailure({ ...failure, status, dialect: "codex" }).body).toMatchObject({
      error: { type: openai, code: error.code },
    });
  });
});
