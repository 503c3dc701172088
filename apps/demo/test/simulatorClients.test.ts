import Anthropic from "@anthropic-ai/sdk";
import fc from "fast-check";
import OpenAI from "openai";
import { describe, expect, test } from "vitest";
import { collected } from "./collected.js";
import { startSimulator, type RunningSimulator } from "./startSimulator.js";

function openai({ baseUrl }: RunningSimulator): OpenAI {
  return new OpenAI({ baseURL: `${baseUrl}/v1`, apiKey: "sk-upstream", maxRetries: 0 });
}

function anthropic({ baseUrl }: RunningSimulator): Anthropic {
  return new Anthropic({ baseURL: baseUrl, apiKey: "sk-upstream", maxRetries: 0 });
}

const hello = [{ role: "user" as const, content: "Say hi, please." }];

describe("the official openai client", () => {
  test("reads a chat completion and its usage", async () => {
    const answer = await openai(await startSimulator()).chat.completions.create({
      model: "kimi",
      messages: hello,
    });
    expect(answer.choices[0]?.message.content).toMatch(
      /^Hello from the simulated provider ☀ You said: “Say hi, please.”/u,
    );
    expect(answer.choices[0]?.finish_reason).toBe("stop");
    expect(answer.usage?.prompt_tokens).toBe(4);
    expect(answer.usage?.total_tokens).toBe(
      4 + Math.ceil(Buffer.byteLength(answer.choices[0]?.message.content ?? "") / 4),
    );
  });

  test("streams the same words, with usage in one more chunk only when asked", async () => {
    const client = openai(await startSimulator());
    const whole = await client.chat.completions.create({ model: "kimi", messages: hello });
    const streamed = async (asked: boolean) => {
      const options = asked ? { stream_options: { include_usage: true } } : {};
      const stream = await client.chat.completions.create({
        model: "kimi",
        messages: hello,
        stream: true,
        ...options,
      });
      const chunks = await collected(stream);
      return {
        text: chunks.map((chunk) => chunk.choices[0]?.delta.content ?? "").join(""),
        usages: chunks.flatMap((chunk) => (chunk.usage ? [chunk.usage] : [])),
        lastChoices: chunks.at(-1)?.choices.length,
      };
    };
    expect(await streamed(false)).toEqual({
      text: whole.choices[0]?.message.content,
      usages: [],
      lastChoices: 1,
    });
    expect(await streamed(true)).toEqual({
      text: whole.choices[0]?.message.content,
      usages: [whole.usage],
      lastChoices: 0,
    });
  });

  test("streams a response through every event to response.completed", async () => {
    const client = openai(await startSimulator());
    const stream = client.responses.stream({ model: "gpt", input: "Say hi, please." });
    const seen = new Set<string>();
    for await (const event of stream) seen.add(event.type);
    const final = await stream.finalResponse();
    expect([...seen]).toEqual([
      "response.created",
      "response.in_progress",
      "response.output_item.added",
      "response.content_part.added",
      "response.output_text.delta",
      "response.output_text.done",
      "response.content_part.done",
      "response.output_item.done",
      "response.completed",
    ]);
    expect(final.output_text).toMatch(/^Hello from/u);
    const plain = await client.responses.create({ model: "gpt", input: "Say hi, please." });
    expect(plain.output_text).toBe(final.output_text);
    expect(plain.usage).toEqual(final.usage);
    expect(final.usage?.input_tokens_details.cached_tokens).toBe(0);
  });

  test("finds a long beginning in the prompt cache the second time", async () => {
    const client = openai(await startSimulator());
    const ask = async () => {
      const answer = await client.responses.create({
        model: "gpt",
        instructions: "Be brief. ".repeat(1000),
        input: "Hi",
      });
      return answer.usage?.input_tokens_details.cached_tokens;
    };
    expect(await ask()).toBe(0);
    expect(await ask()).toBe(2432);
  });

  test("reads embeddings, which it asks for in base64", async () => {
    const running = await startSimulator();
    const client = openai(running);
    const answer = await client.embeddings.create({ model: "e", input: ["one", "two"], dimensions: 8 });
    const [one, two] = answer.data.map((each) => each.embedding);
    expect(running.simulator.state().lastRequests[0]?.body).toContain("base64");
    expect(Math.hypot(...(one ?? []))).toBeCloseTo(1);
    expect(one).not.toEqual(two);
    const floats = await client.embeddings.create({
      model: "e",
      input: "one",
      dimensions: 8,
      encoding_format: "float",
    });
    floats.data[0]?.embedding.forEach((value, index) =>
      expect(value).toBeCloseTo(one?.[index] ?? Number.NaN, 5),
    );
    expect(answer.usage).toEqual({ prompt_tokens: 2, total_tokens: 2 });
  });

  test("lists the models", async () => {
    const client = openai(await startSimulator({ models: ["a", "b"] }));
    expect((await collected(client.models.list())).map(({ id }) => id)).toEqual(["a", "b"]);
  });

  test.each([
    [400, OpenAI.BadRequestError],
    [401, OpenAI.AuthenticationError],
    [403, OpenAI.PermissionDeniedError],
    [404, OpenAI.NotFoundError],
    [429, OpenAI.RateLimitError],
    [500, OpenAI.InternalServerError],
  ])("throws its own error class for a %i", async (status, errorClass) => {
    const client = openai(await startSimulator());
    const call = client.chat.completions.create({
      model: `m?failure=status-${String(status)}`,
      messages: hello,
    });
    const error = await call.catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(errorClass);
    expect((error as InstanceType<typeof OpenAI.APIError>).type).toEqual(expect.any(String));
  });
});

describe("the official anthropic client", () => {
  test("reads a message, streamed or not, with the same words and usage", async () => {
    const client = anthropic(await startSimulator());
    const request = { model: "claude", max_tokens: 1024, messages: hello };
    const whole = await client.messages.create(request);
    const stream = client.messages.stream(request);
    const types = new Set((await collected(stream)).map(({ type }) => type));
    const final = await stream.finalMessage();
    expect(whole.content).toMatchObject([
      { type: "text", text: expect.stringMatching(/^Hello from the simulated/u) as string },
    ]);
    expect(final.content).toEqual(whole.content);
    expect(final.usage).toEqual(whole.usage);
    expect(final.stop_reason).toBe("end_turn");
    expect([...types]).toEqual([
      "message_start",
      "content_block_start",
      "content_block_delta",
      "content_block_stop",
      "message_delta",
      "message_stop",
    ]);
  });

  test("pays for a cached prompt once and reads it afterwards; input, written and read add up to the count", async () => {
    const client = anthropic(await startSimulator());
    const request = {
      model: "claude",
      system: [
        { type: "text" as const, text: "Rules. ".repeat(400), cache_control: { type: "ephemeral" as const } },
      ],
      messages: hello,
    };
    const counted = await client.messages.countTokens(request);
    const first = (await client.messages.create({ ...request, max_tokens: 50 })).usage;
    const second = (await client.messages.create({ ...request, max_tokens: 50 })).usage;
    expect([first.cache_creation_input_tokens, first.cache_read_input_tokens]).toEqual([700, 0]);
    expect([second.cache_creation_input_tokens, second.cache_read_input_tokens]).toEqual([0, 700]);
    for (const usage of [first, second]) expect(usage.input_tokens + 700).toBe(counted.input_tokens);
  });

  test("counts tokens free of charge", async () => {
    const running = await startSimulator({ quota: { unit: "requests", windowMs: 60_000, limit: 0 } });
    await anthropic(running).messages.countTokens({ model: "claude", messages: hello });
    const state = running.simulator.state();
    expect([state.requests.accepted, state.tokens.input]).toEqual([1, 0]);
    expect(state.accounts).toMatchObject([
      { credential: "sk-upstream", windows: [{ unit: "requests", used: 0 }, {}] },
    ]);
  });

  test("lists the models", async () => {
    const client = anthropic(await startSimulator({ models: ["a", "b"] }));
    expect((await collected(client.models.list())).map(({ id }) => id)).toEqual(["a", "b"]);
  });

  test.each([
    [400, Anthropic.BadRequestError, "invalid_request_error"],
    [401, Anthropic.AuthenticationError, "authentication_error"],
    [429, Anthropic.RateLimitError, "rate_limit_error"],
    [500, Anthropic.InternalServerError, "api_error"],
    [529, Anthropic.InternalServerError, "overloaded_error"],
  ])("throws its own error class for a %i", async (status, errorClass, type) => {
    const client = anthropic(await startSimulator());
    const model = `m?failure=status-${String(status)}`;
    const error = await client.messages
      .create({ model, max_tokens: 9, messages: hello })
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(errorClass);
    expect((error as InstanceType<typeof Anthropic.APIError>).error).toMatchObject({
      type: "error",
      error: { type },
    });
  });
});

describe("maxima", () => {
  test("every dialect cuts at the request's own maximum and says so", async () => {
    const running = await startSimulator();
    const [chat, older, response, message] = await Promise.all([
      openai(running).chat.completions.create({ model: "m", messages: hello, max_completion_tokens: 3 }),
      // Many clients still send the older name.
      // eslint-disable-next-line @typescript-eslint/no-deprecated
      openai(running).chat.completions.create({ model: "m", messages: hello, max_tokens: 3 }),
      openai(running).responses.create({ model: "m", input: "Say hi", max_output_tokens: 3 }),
      anthropic(running).messages.create({ model: "m", messages: hello, max_tokens: 3 }),
    ]);
    expect([chat.choices[0]?.finish_reason, chat.usage?.completion_tokens]).toEqual(["length", 3]);
    expect([older.choices[0]?.finish_reason, older.usage?.completion_tokens]).toEqual(["length", 3]);
    expect([response.status, response.usage?.output_tokens]).toEqual(["incomplete", 3]);
    expect([message.stop_reason, message.usage.output_tokens]).toEqual(["max_tokens", 3]);
    expect(chat.choices[0]?.message.content).toBe("Hello from t");
  });

  test("whatever is asked, the text has the tokens its usage tells and never more than the maximum", async () => {
    const client = openai(await startSimulator());
    const anyLength = fc.oneof(fc.constant("natural"), fc.integer({ min: 0, max: 5000 }).map(String));
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: "grapheme" }),
        anyLength,
        fc.integer({ min: 1, max: 3000 }),
        async (said, length, most) => {
          const messages = [{ role: "user" as const, content: said.replaceAll("[", "") }];
          const model = `m?answer-tokens=${length}`;
          const answer = await client.chat.completions.create({
            model,
            messages,
            max_completion_tokens: most,
          });
          const bytes = Buffer.byteLength(answer.choices[0]?.message.content ?? "");
          expect(answer.usage?.completion_tokens).toBe(Math.ceil(bytes / 4));
          expect(answer.usage?.completion_tokens).toBeLessThanOrEqual(most);
          if (length !== "natural") expect(bytes).toBe(4 * Math.min(Number(length), most));
        },
      ),
      { numRuns: 40 },
    );
  }, 60_000);
});
