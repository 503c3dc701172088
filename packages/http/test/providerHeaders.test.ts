import { EXPOSED_HEADERS, forwardHeaders, passThroughHeaders } from "@quota/http";
import fc from "fast-check";
import { describe, expect, test } from "vitest";

describe("The client's headers on their way to the upstream", () => {
  const pass = [
    "anthropic-version",
    "anthropic-beta",
    "content-type",
    "accept",
    "user-agent",
    "originator",
    "openai-beta",
    "x-stainless-lang",
    "x-request-id",
    "idempotency-key",
    "__proto__",
    "constructor",
  ];
  test.each(pass)("%s passes", (name) => {
    expect(forwardHeaders(new Map([[name, "value"]])).get(name)).toBe("value");
  });

  const stay = [
    ...[
      "authorization",
      "x-api-key",
      "api-key",
      "x-goog-api-key",
      "cookie",
      "proxy-authorization",
      "proxy-anything",
    ],
    ...["openai-organization", "openai-project", "chatgpt-account-id"],
    ...["connection", "keep-alive", "te", "trailer", "transfer-encoding", "upgrade", "proxy-connection"],
    ...["host", "content-length", "expect", "x-quota-connection", ":path", ":authority"],
  ];
  test.each(stay)("%s stays here, in any case", (name) => {
    expect(forwardHeaders([[name, "value"]]).has(name)).toBe(false);
    expect([...forwardHeaders([[name.toUpperCase(), "value"]]).keys()]).toEqual(["accept-encoding"]);
  });

  test("what Connection names ends here", () => {
    const headers = forwardHeaders({
      Connection: "close, X-Secret ,x-other",
      "X-Secret": "1",
      "x-other": "2",
      "x-kept": "3",
    });
    expect([...headers.keys()].sort()).toEqual(["accept-encoding", "x-kept"]);
  });

  test("the upstream is asked for bytes that can be read, whatever the client wants or names hop-by-hop", () => {
    expect(forwardHeaders({ "Accept-Encoding": "gzip, br" }).get("accept-encoding")).toBe("identity");
    expect(forwardHeaders({ connection: "accept-encoding" }).get("accept-encoding")).toBe("identity");
  });

  test("a name that comes twice keeps both its values; a missing value is no header", () => {
    expect(forwardHeaders({ "x-a": ["1", "2"], "x-b": undefined }).get("x-a")).toEqual(["1", "2"]);
    expect(forwardHeaders({ "x-b": undefined }).has("x-b")).toBe(false);
    expect(
      forwardHeaders([
        ["X-A", "1"],
        ["x-a", "2"],
      ]).get("x-a"),
    ).toEqual(["1", "2"]);
  });

  test("property: no spelling of a credential's name gets through, and nobody's prototype changes", () => {
    fc.assert(
      fc.property(
        fc.constantFrom("authorization", "x-api-key", "cookie", "proxy-authorization"),
        fc.array(fc.boolean(), { minLength: 20, maxLength: 20 }),
        fc.dictionary(fc.constantFrom("__proto__", "x-a", "accept"), fc.string()),
        (name, upper, others) => {
          const spelled = Array.from(name, (c, i) => (upper[i] ? c.toUpperCase() : c)).join("");
          const headers = forwardHeaders([...Object.entries(others), [spelled, "sk-secret"]]);
          expect(JSON.stringify([...headers])).not.toContain("sk-secret");
          expect(({} as Record<string, unknown>)["x-a"]).toBe(undefined);
        },
      ),
    );
  });
});

describe("The upstream's headers on their way to the client", () => {
  const get = (headers: Record<string, string>, status = 200, rewritten = false) =>
    passThroughHeaders({ headers, status, rewritten });

  const pass = [
    "content-type",
    "cache-control",
    "request-id",
    "x-request-id",
    "openai-model",
    "openai-version",
    "openai-processing-ms",
    "cf-ray",
    "content-length",
    "content-encoding",
    "etag",
    "date",
    "location",
    "x-user-agent",
    "x-projection",
    "x-gemini-service-tier",
    "x-planet",
  ];
  test.each(pass)("%s passes", (name) => {
    expect(get({ [name]: "value" }).get(name)).toBe("value");
  });

  const stay = [
    ...["X-Codex-Primary-Used-Percent", "x-codex-credits-balance", "x-codex-active-limit"],
    // The families of one account's other limits.
    ...["x-premium-primary-used-percent", "X-Premium-Secondary-Reset-At", "x-premium-limit-name"],
    ...["anthropic-ratelimit-unified-5h-utilization", "anthropic-ratelimit-requests-remaining"],
    ...[
      "x-ratelimit-remaining-tokens",
      "X-RateLimit-Reset-Requests",
      "ratelimit",
      "ratelimit-policy",
      "RateLimit-Remaining",
    ],
    ...[
      "openai-organization",
      "openai-project",
      "anthropic-organization-id",
      "anthropic-workspace-id",
      "chatgpt-account-id",
      "msh-uid",
      "msh-org-id",
      "x-account-name",
    ],
    ...["set-cookie", "Set-Cookie2", "clear-site-data", "www-authenticate"],
    ...["connection", "keep-alive", "transfer-encoding", "trailer", "upgrade", "proxy-authenticate"],
    ...[
      "alt-svc",
      "strict-transport-security",
      "access-control-allow-origin",
      "access-control-expose-headers",
    ],
    ...["x-credits-remaining", "X-Plan-Type", "x-subscription-tier", "x-account-balance", "x-billing-plan"],
    ...["rate-limit-reset", "x-monthly-limit", "x-tokens-remaining", "x-overage", "x-minimax-group-id"],
    ...["x-quota-reason", "quota-status", "x-litellm-key-spend"],
    "llm_provider-x-ratelimit-remaining-requests",
  ];
  test.each(stay)("%s stays here", (name) => {
    expect([...get({ [name]: "value" }, 200)]).toEqual([]);
    expect([...get({ [name]: "value" }, 429)]).toEqual([]);
  });

  test("a provider's rate headers make room for the key's own, and for no others", () => {
    const headers = {
      "X-RateLimit-Remaining-Requests": "9000",
      "x-ratelimit-limit-project": "1",
      date: "now",
    };
    const own = new Map([["x-ratelimit-remaining-requests", "19"]]);
    expect([...passThroughHeaders({ headers, status: 200, own })]).toEqual([["date", "now"], ...own]);
  });

  test("what the upstream's Connection names ends here", () => {
    expect([...get({ connection: "x-internal", "x-internal": "1", "x-kept": "2" }).keys()]).toEqual([
      "x-kept",
    ]);
  });

  test("content-length, the encoding and the digests go when the bytes are changed on the way", () => {
    const headers = {
      "content-length": "12",
      "content-encoding": "gzip",
      etag: '"a"',
      digest: "sha-256=x",
      "content-type": "text/event-stream",
    };
    expect([...get(headers, 200, true).keys()]).toEqual(["content-type"]);
  });

  test("the upstream's own advice to come back stays on its errors only", () => {
    const advice = { "retry-after": "4", "retry-after-ms": "3500", "x-should-retry": "true" };
    expect([...get(advice, 429).keys()]).toEqual(["retry-after", "retry-after-ms", "x-should-retry"]);
    expect(get(advice, 503).get("retry-after")).toBe("4");
    expect([...get(advice, 200)]).toEqual([]);
  });

  const sleeps: [sentence: string, headers: Record<string, string>, shouldRetry: string | undefined][] = [
    ["a long wait of the upstream's does not put a client to sleep", { "retry-after": "13873" }, "false"],
    ["nor in milliseconds", { "retry-after-ms": "60001" }, "false"],
    ["a short one may be waited for", { "retry-after": "60" }, undefined],
    ["the upstream's own word stands", { "retry-after": "13873", "x-should-retry": "true" }, "true"],
    ["a date is left alone", { "retry-after": "Wed, 21 Oct 2026 07:28:00 GMT" }, undefined],
  ];
  test.each(sleeps)("%s", (_sentence, headers, shouldRetry) => {
    expect(get(headers, 429).get("x-should-retry")).toBe(shouldRetry);
  });
});

test("a page of another origin may read when to come back", () => {
  expect(EXPOSED_HEADERS).toEqual(
    expect.arrayContaining([
      "retry-after",
      "ratelimit",
      "ratelimit-policy",
      "x-quota-reason",
      "quota-status",
    ]),
  );
});
