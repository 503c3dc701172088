import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import Anthropic from "@anthropic-ai/sdk";
import type { Refused, Unavailable } from "@quota/core";
import { buildRefusal, buildUnauthorized, dialectOf, type BuiltAnswer, type Dialect } from "@quota/http";
import OpenAI from "openai";
import { describe, expect, onTestFinished, test } from "vitest";
import { refused } from "./decisions.js";

type AnswerFor = (dialect: Dialect) => Pick<BuiltAnswer, "status" | "headers" | "contentType" | "body">;

/** A gateway that gives these answers in turn, the last one to every request that follows, and notes what arrives. */
async function gateway(...answers: readonly AnswerFor[]) {
  const arrived: { readonly path: string; readonly dialect: Dialect }[] = [];
  const server = createServer((request, response) => {
    const path = request.url ?? "";
    const dialect = dialectOf({ path, headers: request.headers });
    const answer = (answers[arrived.length] ?? answers.at(-1)!)(dialect);
    arrived.push({ path, dialect });
    request.resume().on("end", () => {
      response.writeHead(answer.status, { ...answer.headers, "content-type": answer.contentType });
      response.end(JSON.stringify(answer.body));
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  });
  const origin = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
  return {
    arrived,
    openai: (options: { maxRetries?: number } = {}) =>
      new OpenAI({ apiKey: "sk-test", baseURL: `${origin}/v1`, ...options }),
    anthropic: (options: { maxRetries?: number } = {}) =>
      new Anthropic({ apiKey: "sk-test", baseURL: origin, ...options }),
  };
}

const refusal = (decision: Refused | Unavailable) => (dialect: Dialect) =>
  buildRefusal({ decision, dialect, requestId: "req_42", jitter: 0.5 }, Date.now());
const inHours = () => refused({ retryAt: Date.now() + 5 * 3_600_000 });
const inThirtyDays = () => refused({ retryAt: Date.now() + 30 * 86_400_000 });
const unavailable: Unavailable = {
  status: "unavailable",
  allowed: false,
  cause: new Error("down"),
  dimensions: [],
};

const messages = [{ role: "user" as const, content: "hello" }];

const openaiCalls: [name: string, call: (client: OpenAI) => PromiseLike<unknown>][] = [
  ["a chat completion", (client) => client.chat.completions.create({ model: "m", messages })],
  [
    "a streamed chat completion",
    (client) => client.chat.completions.create({ model: "m", messages, stream: true }),
  ],
  ["a response", (client) => client.responses.create({ model: "m", input: "hello" })],
  ["an embedding", (client) => client.embeddings.create({ model: "m", input: "hello" })],
];
const anthropicCalls: [name: string, call: (client: Anthropic) => PromiseLike<unknown>][] = [
  ["a message", (client) => client.messages.create({ model: "m", max_tokens: 9, messages })],
  [
    "a streamed message",
    (client) => client.messages.create({ model: "m", max_tokens: 9, messages, stream: true }),
  ],
];

/** What a call failed with. */
async function failure(call: PromiseLike<unknown>): Promise<unknown> {
  const outcome = await Promise.resolve(call).then(
    () => "it did not fail",
    (error: unknown) => ({ error }),
  );
  return typeof outcome === "string" ? outcome : outcome.error;
}

describe("The official openai client, with its own retries", () => {
  test.each(openaiCalls)("is refused %s at once, with the class, type and code", async (_name, call) => {
    const { arrived, openai } = await gateway(refusal(inHours()));
    const error = await failure(call(openai()));
    expect(error).toBeInstanceOf(OpenAI.RateLimitError);
    expect(error).toMatchObject({
      status: 429,
      type: "insufficient_quota",
      code: "quota_fair_share",
      param: null,
      requestID: "req_42",
    });
    expect((error as InstanceType<typeof OpenAI.APIError>).headers?.get("x-quota-reason")).toBe(
      "quota_fair_share",
    );
    expect((error as InstanceType<typeof OpenAI.APIError>).message).toMatch(
      /^429 tokens\/5h: 412 000 of your 400 000 share used; opens .* UTC$/,
    );
    expect(arrived.map(({ dialect }) => dialect)).toEqual(["openai"]);
  });

  const never: [sentence: string, decision: () => Refused, code: string][] = [
    ["does not wake up at once from thirty days", inThirtyDays, "quota_fair_share"],
    [
      "does not try again what is too large",
      () => refused({ reason: "too-large" }),
      "quota_request_too_large",
    ],
    [
      "does not try again without an allocation",
      () => refused({ reason: "not-allocated" }),
      "quota_not_allocated",
    ],
  ];
  test.each(never)("%s", async (_sentence, decision, code) => {
    const { arrived, openai } = await gateway(refusal(decision()));
    expect(await failure(openai().chat.completions.create({ model: "m", messages }))).toMatchObject({ code });
    expect(arrived).toHaveLength(1);
  });

  test("waits out a short refusal by itself and gets in", async () => {
    const { arrived, openai } = await gateway(refusal(refused({ retryAt: Date.now() })), () => ({
      status: 200,
      headers: {},
      contentType: "application/json",
      body: { id: "c", object: "chat.completion", choices: [] },
    }));
    expect(await openai().chat.completions.create({ model: "m", messages })).toMatchObject({ id: "c" });
    expect(arrived).toHaveLength(2);
  });

  test("tells a store that is down, and a key that is unknown, from a refusal", async () => {
    const { openai } = await gateway(refusal(unavailable), (dialect) =>
      buildUnauthorized({ dialect, requestId: "req_1" }),
    );
    const down = await failure(openai({ maxRetries: 0 }).chat.completions.create({ model: "m", messages }));
    expect(down).toBeInstanceOf(OpenAI.InternalServerError);
    expect(down).toMatchObject({ status: 503, code: "quota_unavailable" });
    const unknown = await failure(openai().chat.completions.create({ model: "m", messages }));
    expect(unknown).toBeInstanceOf(OpenAI.AuthenticationError);
    expect(unknown).toMatchObject({ code: "invalid_api_key" });
  });
});

describe("The official Anthropic client, with its own retries", () => {
  test.each(anthropicCalls)("is refused %s at once, with the class and type", async (_name, call) => {
    const { arrived, anthropic } = await gateway(refusal(inHours()));
    const error = await failure(call(anthropic()));
    expect(error).toBeInstanceOf(Anthropic.RateLimitError);
    expect(error).toMatchObject({
      status: 429,
      type: "rate_limit_error",
      requestID: "req_42",
      error: { request_id: "req_42" },
    });
    expect((error as InstanceType<typeof Anthropic.APIError>).headers?.get("x-quota-reason")).toBe(
      "quota_fair_share",
    );
    expect(JSON.stringify((error as InstanceType<typeof Anthropic.APIError>).error)).toContain(
      "412 000 of your 400 000 share used",
    );
    expect(arrived.map(({ dialect }) => dialect)).toEqual(["anthropic"]);
  });

  test("does not wake up at once from thirty days", async () => {
    const { arrived, anthropic } = await gateway(refusal(inThirtyDays()));
    expect(
      await failure(anthropic().messages.create({ model: "m", max_tokens: 9, messages })),
    ).toBeInstanceOf(Anthropic.RateLimitError);
    expect(arrived).toHaveLength(1);
  });

  test("waits out a short refusal by itself and gets in", async () => {
    const { arrived, anthropic } = await gateway(refusal(refused({ retryAt: Date.now() })), () => ({
      status: 200,
      headers: {},
      contentType: "application/json",
      body: { id: "m", type: "message", content: [] },
    }));
    expect(await anthropic().messages.create({ model: "m", max_tokens: 9, messages })).toMatchObject({
      id: "m",
    });
    expect(arrived).toHaveLength(2);
  });

  test("tells a store that is down, and a key that is unknown, from a refusal", async () => {
    const { anthropic } = await gateway(refusal(unavailable), (dialect) =>
      buildUnauthorized({ dialect, requestId: "req_1" }),
    );
    const down = await failure(
      anthropic({ maxRetries: 0 }).messages.create({ model: "m", max_tokens: 9, messages }),
    );
    expect(down).toBeInstanceOf(Anthropic.InternalServerError);
    expect(down).toMatchObject({ status: 503, type: "overloaded_error" });
    const unknown = await failure(anthropic().messages.create({ model: "m", max_tokens: 9, messages }));
    expect(unknown).toBeInstanceOf(Anthropic.AuthenticationError);
  });
});
