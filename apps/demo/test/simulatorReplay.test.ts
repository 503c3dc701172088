import { readFileSync } from "node:fs";
import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { describe, expect, test } from "vitest";
import type { RecordedTurn } from "../server/simulator/recordedExchange.js";
import { questions, startSimulator } from "./startSimulator.js";

function recorded(name: string): RecordedTurn {
  return JSON.parse(
    readFileSync(new URL(`../e2e/fixtures/${name}.json`, import.meta.url), "utf8"),
  ) as RecordedTurn;
}

const claudeCode = recorded("claude-code-turn");
const codex = recorded("codex-turn");

describe.each([...claudeCode.exchanges, ...codex.exchanges])(
  "the recorded exchange $name",
  ({ name, request, answer }) => {
    test("is served word for word to the recorded request", async () => {
      const { simulator, baseUrl } = await startSimulator({
        replay: [...claudeCode.exchanges, ...codex.exchanges],
      });
      const url = `${baseUrl}${request.path}${request.query ?? ""}`;
      const headers = { ...request.headers, "x-simulate-replay": name };
      const response = await fetch(url, {
        method: request.method,
        headers,
        body: JSON.stringify(request.body),
      });
      expect(response.status).toBe(answer.status);
      for (const [header, value] of Object.entries(answer.headers))
        expect(response.headers.get(header)).toBe(value);
      const text = await response.text();
      if (answer.events === undefined) expect(JSON.parse(text)).toEqual(answer.body);
      const events = text.split("\n\n").filter((event) => event.startsWith("event: "));
      expect(
        events.map((event) => JSON.parse(event.slice(event.indexOf("\ndata: ") + 7)) as unknown),
      ).toEqual(answer.events?.map(({ data }) => data) ?? []);
      expect(simulator.state().requests).toMatchObject({ seen: 1, accepted: 1 });
    });
  },
);

describe("a replay", () => {
  test("of the Claude Code turn is understood by the official client: thinking, text, a tool call, cache usage", async () => {
    const { baseUrl } = await startSimulator({ replay: claudeCode.exchanges });
    const client = new Anthropic({ baseURL: baseUrl, apiKey: "sk", maxRetries: 0 });
    const message = await client.messages
      .stream({ model: "claude", max_tokens: 100, messages: [{ role: "user", content: "Hi" }] })
      .finalMessage();
    expect(message.content.map(({ type }) => type)).toEqual(["thinking", "text", "tool_use"]);
    expect(message.content.at(-1)).toMatchObject({
      name: "Grep",
      input: { pattern: "total\\(", path: "/home/dev/shop/src" },
    });
    expect(message.usage).toMatchObject({
      input_tokens: 9,
      cache_read_input_tokens: 17830,
      output_tokens: 203,
    });
    expect(await client.messages.countTokens({ model: "claude", messages: [] })).toMatchObject({
      input_tokens: 18251,
    });
  });

  test("of the Codex turn is understood by the official client: reasoning and a function call", async () => {
    const { baseUrl } = await startSimulator({ replay: codex.exchanges });
    const client = new OpenAI({ baseURL: `${baseUrl}/v1`, apiKey: "sk", maxRetries: 0 });
    const response = await client.responses.stream({ model: "codex", input: "Hi" }).finalResponse();
    expect(response.output.map(({ type }) => type)).toEqual(["reasoning", "function_call"]);
    expect(response.usage).toMatchObject({
      input_tokens: 8942,
      input_tokens_details: { cached_tokens: 8320 },
    });
  });

  test("leaves other paths to the simulator, and refuses a name that fits nothing", async () => {
    const { post } = await startSimulator({ replay: codex.exchanges });
    expect((await post("/v1/chat/completions", questions["/v1/chat/completions"])).status).toBe(200);
    const headers = { "x-simulate-replay": "usage-limit" };
    expect((await post("/v1/chat/completions", questions["/v1/chat/completions"], { headers })).status).toBe(
      400,
    );
  });

  test("can break half-way like any other answer", async () => {
    const { post } = await startSimulator({ replay: codex.exchanges, failure: "end-mid-stream" });
    const text = await (await post("/v1/responses", { ...questions["/v1/responses"], stream: true })).text();
    expect(text).toContain("response.created");
    expect(text).not.toContain("response.completed");
  });
});
