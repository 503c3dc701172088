import { describe, expect, test } from "vitest";
import { dialectOf, type Dialect } from "@quota/http";

describe("The dialect of a request", () => {
  const cases: [sentence: string, path: string, headers: Record<string, string>, dialect: Dialect][] = [
    ["a chat completion is OpenAI", "/v1/chat/completions", {}, "openai"],
    [
      "the official openai client on /v1/responses is OpenAI",
      "/v1/responses",
      { "user-agent": "OpenAI/JS 6.49.0", "x-stainless-lang": "js" },
      "openai",
    ],
    ["embeddings are OpenAI", "/v1/embeddings?x=1", {}, "openai"],
    [
      "anthropic-version says Anthropic, whatever the route",
      "/v1/models",
      { "Anthropic-Version": "2023-06-01" },
      "anthropic",
    ],
    ["a messages route is Anthropic", "/v1/messages", {}, "anthropic"],
    ["so is counting tokens, with a query", "/v1/messages/count_tokens?beta=true", {}, "anthropic"],
    ["so is a messages route below a prefix", "/gateway/V1/Messages/", {}, "anthropic"],
    ["the messages of an OpenAI thread are OpenAI's", "/v1/threads/t_1/messages", {}, "openai"],
    ["the Codex CLI on /v1/responses is Codex", "/v1/responses", { originator: "codex_cli_rs" }, "codex"],
    [
      "so is its editor extension, by user-agent alone",
      "/v1/responses",
      { "User-Agent": "codex_vscode/0.98.0 (Mac OS)" },
      "codex",
    ],
    ["so is the terminal program", "/v1/responses", { originator: "codex-tui" }, "codex"],
    ["so is the desktop program", "/v1/responses", { originator: "Codex Desktop" }, "codex"],
    ["so is a client with Codex's own headers", "/v1/responses", { "x-codex-turn-metadata": "{}" }, "codex"],
    ["Codex with the chat wire is Codex too", "/v1/chat/completions", { originator: "codex_exec" }, "codex"],
    ["a Codex route is Codex whoever asks", "/backend-api/codex/responses", {}, "codex"],
    [
      "a name that only begins alike is not Codex",
      "/v1/responses",
      { "user-agent": "codexample/1.0" },
      "openai",
    ],
    [
      "a program that mentions Codex is not Codex",
      "/v1/responses",
      { "user-agent": "proxy (for codex_cli_rs)" },
      "openai",
    ],
    ["a model named codex in the query is not a Codex route", "/v1/models?name=/codex/", {}, "openai"],
    ["an empty path is OpenAI", "", {}, "openai"],
  ];

  test.each(cases)("%s", (_sentence, path, headers, dialect) => {
    expect(dialectOf({ path, headers })).toBe(dialect);
    expect(dialectOf({ path, headers: new Headers(headers) })).toBe(dialect);
  });
});
