import { expect, test } from "vitest";
import { baseUrlProblem, upstreamUrl } from "../server/baseUrl.js";

test.each([
  ["https://api.openai.com", "openai", "/v1/chat/completions", "https://api.openai.com/v1/chat/completions"],
  [
    "https://api.openai.com/v1",
    "openai",
    "/v1/chat/completions",
    "https://api.openai.com/v1/chat/completions",
  ],
  ["https://api.openai.com/v1/", "openai", "/v1/responses", "https://api.openai.com/v1/responses"],
  ["https://z.example/api/paas/v4", "openai", "/v1/embeddings", "https://z.example/api/paas/v4/embeddings"],
  [
    "https://seat.example/backend/codex",
    "openai",
    "/v1/responses",
    "https://seat.example/backend/codex/responses",
  ],
  ["https://api.anthropic.com", "anthropic", "/v1/messages", "https://api.anthropic.com/v1/messages"],
  ["https://api.anthropic.com/v1", "anthropic", "/v1/messages", "https://api.anthropic.com/v1/messages"],
  [
    "https://m.example/anthropic",
    "anthropic",
    "/v1/messages/count_tokens",
    "https://m.example/anthropic/v1/messages/count_tokens",
  ],
  ["http://127.0.0.1:4000", "openai", "/v1/models", "http://127.0.0.1:4000/v1/models"],
] as const)("%s takes %s's %s at %s", (baseUrl, dialect, path, expected) => {
  expect(upstreamUrl({ baseUrl, dialect, path, query: "" })).toBe(expected);
  expect(upstreamUrl({ baseUrl, dialect, path, query: "?beta=true" })).toBe(`${expected}?beta=true`);
});

test.each([
  ["file:///etc/passwd", "https://"],
  ["https://user@example.com", "credentials"],
  ["https://example.com/?a=b", "query"],
  ["example.com", "address"],
])("%s is no base address", (written, word) => {
  expect(baseUrlProblem(written)).toContain(word);
});
