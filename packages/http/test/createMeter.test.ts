import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createMeter, readUsage, type MeasuredAnswer } from "../src/index.js";
import { bytes, crumbs, cut, events, places } from "./bytes.js";

function measure(chunks: readonly Uint8Array[]): MeasuredAnswer {
  const meter = createMeter();
  for (const chunk of chunks) meter.push(chunk);
  return meter.finish();
}

const used = (
  input: number,
  cachedInput: number,
  cacheWrite: number,
  output: number,
  reasoning?: number,
) => ({
  ...{ input, cachedInput, cacheWrite, output, total: input + cachedInput + cacheWrite + output },
  ...(reasoning === undefined ? {} : { reasoning }),
});

const chunk = (content: string, rest: object = {}) => ({
  object: "chat.completion.chunk",
  choices: [{ index: 0, delta: { content } }],
  ...rest,
});
const stop = { choices: [{ index: 0, delta: {}, finish_reason: "stop" }] };
const last = (usage: unknown) => ({ choices: [], usage });

const responseUsage = {
  input_tokens: 100,
  input_tokens_details: { cached_tokens: 60 },
  output_tokens: 20,
  output_tokens_details: { reasoning_tokens: 8 },
  total_tokens: 120,
};
const message = (usage: unknown) => ({
  type: "message_start",
  message: { id: "m", type: "message", role: "assistant", content: [], usage },
});
const said = (text: string) => ({
  type: "content_block_delta",
  index: 0,
  delta: { type: "text_delta", text },
});
const delta = (usage: unknown) => ({ type: "message_delta", delta: { stop_reason: "end_turn" }, usage });

const wholeAnswers: [sentence: string, body: string, usage: unknown, producedBytes: number][] = [
  [
    "an OpenAI chat body",
    JSON.stringify({
      choices: [{ message: { content: "Hello" }, finish_reason: "stop" }],
      usage: { prompt_tokens: 9, completion_tokens: 2, total_tokens: 11 },
    }),
    used(9, 0, 0, 2),
    5,
  ],
  [
    "a chat body whose prompt came partly from a cache, which OpenAI counts in",
    JSON.stringify({
      usage: {
        prompt_tokens: 100,
        prompt_tokens_details: { cached_tokens: 64 },
        completion_tokens: 10,
        completion_tokens_details: { reasoning_tokens: 4 },
        total_tokens: 110,
      },
    }),
    used(36, 64, 0, 10, 4),
    0,
  ],
  [
    "a chat body with usage inside the first choice",
    JSON.stringify({
      choices: [{ message: { content: "Hi" }, usage: { prompt_tokens: 5, completion_tokens: 1 } }],
    }),
    used(5, 0, 0, 1),
    2,
  ],
  [
    "a chat body whose text is spread over parts and tool calls",
    JSON.stringify({
      choices: [
        {
          message: {
            content: [{ type: "text", text: "abc" }],
            reasoning_content: "de",
            tool_calls: [{ id: "call_1", type: "function", function: { name: "f", arguments: "{}" } }],
          },
        },
      ],
      usage: null,
    }),
    undefined,
    8,
  ],
  [
    "an embeddings body",
    JSON.stringify({
      data: [{ object: "embedding", embedding: [0.1, -2e-3] }],
      model: "m",
      usage: { prompt_tokens: 8, total_tokens: 8 },
    }),
    used(8, 0, 0, 0),
    0,
  ],
  [
    "a Responses body",
    JSON.stringify({
      object: "response",
      output: [{ type: "message", content: [{ type: "output_text", text: "four" }] }],
      usage: responseUsage,
    }),
    used(40, 60, 0, 20, 8),
    4,
  ],
  [
    "an Anthropic body, whose input leaves the caches out",
    JSON.stringify({
      type: "message",
      content: [
        { type: "text", text: "Hi" },
        { type: "tool_use", id: "t", name: "read", input: { path: "/a", deep: ["b"] } },
      ],
      usage: {
        input_tokens: 10,
        cache_read_input_tokens: 1000,
        cache_creation_input_tokens: 200,
        output_tokens: 7,
      },
    }),
    used(10, 1000, 200, 7),
    // "Hi", the tool's name, "/a", "b"
    9,
  ],
  [
    "usage of 0",
    JSON.stringify({ usage: { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 } }),
    used(0, 0, 0, 0),
    0,
  ],
  [
    "usage that stands before the text, with spaces",
    ' \n{ "usage" : {"prompt_tokens" : 1 , "completion_tokens":2 } ,"choices":[ ] } ',
    used(1, 0, 0, 2),
    0,
  ],
  [
    "a body behind a byte order mark",
    `\uFEFF{"usage":{"prompt_tokens":1,"completion_tokens":2}}`,
    used(1, 0, 0, 2),
    0,
  ],
  [
    "usage under an escaped key",
    '{"\\u0075sage":{"prompt_tokens":1,"completion_tokens":2}}',
    used(1, 0, 0, 2),
    0,
  ],
  [
    "no usage that is only talked about",
    JSON.stringify({ choices: [{ message: { content: '"usage":{"prompt_tokens":9}' } }] }),
    undefined,
    27,
  ],
  [
    "no usage that stands elsewhere",
    JSON.stringify({
      tools: [{ usage: { prompt_tokens: 9 } }],
      metadata: { usage: { prompt_tokens: 9 } },
      response: [{ usage: { prompt_tokens: 3 } }],
    }),
    undefined,
    0,
  ],
  [
    "escapes as the characters that they stand for",
    '{"choices":[{"message":{"content":"a\\n\\"\\u4f60\\\\"}}]}',
    undefined,
    7,
  ],
  ["nothing of note in a list", "[1,2]", undefined, 0],
];

const wholeStreams: [sentence: string, stream: string, usage: unknown, producedBytes: number][] = [
  [
    "an OpenAI chat stream with usage in its last chunk",
    events(
      chunk("Hel", { usage: null }),
      chunk("lo", { usage: null }),
      { ...stop, usage: null },
      last({ prompt_tokens: 9, completion_tokens: 2, total_tokens: 11 }),
      "[DONE]",
    ),
    used(9, 0, 0, 2),
    5,
  ],
  ["a chat stream without usage", events(chunk("Hel"), chunk("lo"), stop, "[DONE]"), undefined, 5],
  [
    "a chat stream with usage inside a choice",
    events(
      chunk("Hi"),
      { choices: [{ delta: {}, finish_reason: "stop", usage: { prompt_tokens: 5, completion_tokens: 1 } }] },
      "[DONE]",
    ),
    used(5, 0, 0, 1),
    2,
  ],
  [
    "several usage chunks: the last that is not null",
    events(
      chunk("a", { usage: { prompt_tokens: 5, completion_tokens: 1, total_tokens: 6 } }),
      chunk("b", { usage: { prompt_tokens: 5, completion_tokens: 2 } }),
      chunk("c", { usage: null }),
      "[DONE]",
    ),
    used(5, 0, 0, 2),
    3,
  ],
  [
    "usage whose numbers are rubbish does not replace what was good",
    events(
      last({ prompt_tokens: 5, completion_tokens: 2 }),
      last({ prompt_tokens: -5, completion_tokens: "2" }),
      "[DONE]",
    ),
    used(5, 0, 0, 2),
    0,
  ],
  [
    "tool calls and both names of reasoning in a chat stream",
    events(
      {
        choices: [
          {
            delta: {
              reasoning: "ab",
              reasoning_details: [{ text: "ab" }],
              tool_calls: [{ id: "x", function: { name: "f", arguments: '{"' } }],
            },
          },
        ],
      },
      { choices: [{ delta: { reasoning_content: "c" } }] },
      "[DONE]",
    ),
    undefined,
    6,
  ],
  [
    "a Responses stream, its text counted once",
    events(
      { type: "response.created", response: { usage: null, instructions: "be kind" } },
      { type: "response.output_text.delta", delta: "fo" },
      { type: "response.output_text.delta", delta: "ur" },
      { type: "response.output_text.done", text: "four" },
      { type: "response.output_item.done", item: { content: [{ text: "four" }] } },
      {
        type: "response.completed",
        response: { output: [{ content: [{ text: "four" }] }], usage: responseUsage },
      },
    ),
    used(40, 60, 0, 20, 8),
    4,
  ],
  [
    "a Responses stream that stopped at its limit",
    events({ type: "response.incomplete", response: { usage: responseUsage } }),
    used(40, 60, 0, 20, 8),
    0,
  ],
  [
    "a Responses stream that failed",
    events({ type: "response.failed", response: { usage: responseUsage } }),
    used(40, 60, 0, 20, 8),
    0,
  ],
  [
    "an Anthropic stream: the output of the delta replaces that of the start",
    events(
      message({
        input_tokens: 25,
        cache_read_input_tokens: 100,
        cache_creation_input_tokens: 7,
        output_tokens: 3,
      }),
      said("Hello"),
      delta({ output_tokens: 15 }),
      { type: "message_stop" },
    ),
    used(25, 100, 7, 15),
    5,
  ],
  [
    "an Anthropic stream whose prompt grew on the way",
    events(
      message({ input_tokens: 25, cache_read_input_tokens: 0, output_tokens: 1 }),
      delta({ input_tokens: 900, cache_read_input_tokens: 50, output_tokens: 15 }),
      { type: "message_stop" },
    ),
    used(900, 50, 0, 15),
    0,
  ],
  [
    "an Anthropic stream whose prompt is only known at the end",
    events(message({ input_tokens: 0, output_tokens: 0 }), delta({ input_tokens: 25, output_tokens: 15 }), {
      type: "message_stop",
    }),
    used(25, 0, 0, 15),
    0,
  ],
  [
    "an Anthropic stream whose last delta names no prompt but zeros",
    events(
      message({ input_tokens: 25, cache_read_input_tokens: 8, output_tokens: 1 }),
      delta({ input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 15 }),
      { type: "message_stop" },
    ),
    used(25, 8, 0, 15),
    0,
  ],
  [
    "thinking and tool input in an Anthropic stream, signatures apart",
    events(
      {
        type: "content_block_start",
        content_block: { type: "tool_use", id: "toolu", name: "read", input: {} },
      },
      { type: "content_block_delta", delta: { type: "thinking_delta", thinking: "hm" } },
      { type: "content_block_delta", delta: { type: "signature_delta", signature: "AAAAAAAAAAAA" } },
      { type: "content_block_delta", delta: { type: "input_json_delta", partial_json: '{"a"' } },
      { type: "message_stop" },
    ),
    undefined,
    10,
  ],
  [
    "events named, with CRLF, comments and data over two lines",
    ': hi\r\nevent: x\r\ndata: {"choices":[],\r\ndata: "usage":{"prompt_tokens":1,"completion_tokens":2}}\r\n\r\ndata: [DONE]\r\n\r\n',
    used(1, 0, 0, 2),
    0,
  ],
  [
    "usage that goes over several data lines",
    'data: {"choices":[],"usage":{"prompt_tokens":1,\ndata: "completion_tokens"\ndata: :2}}\n\ndata: [DONE]\n\n',
    used(1, 0, 0, 2),
    0,
  ],
  [
    "what comes after an event that is broken",
    `data: {"choices":[{"delta":{"content":"abc\n\n${events(last({ prompt_tokens: 1, completion_tokens: 2 }), "[DONE]")}`,
    used(1, 0, 0, 2),
    3,
  ],
  [
    "a stream whose final blank line is missing",
    'data: {"choices":[],"usage":{"prompt_tokens":1,"completion_tokens":2}}\n\ndata: [DONE]',
    used(1, 0, 0, 2),
    0,
  ],
  ["characters of several bytes", events(chunk("é你😀"), "[DONE]"), undefined, 9],
];

describe("a meter reads", () => {
  it.each([...wholeAnswers, ...wholeStreams])("%s", (_sentence, body, usage, producedBytes) => {
    const expected = {
      usage,
      produced: { bytes: producedBytes, tokens: Math.ceil(producedBytes / 4) },
      ended: true,
    };
    expect(measure([bytes(body)])).toEqual(expected);
    expect(measure(crumbs(bytes(body)))).toEqual(expected);
  });
});

describe("an answer that was cut off", () => {
  it.each([
    ["after some chunks counts what was produced", events(chunk("Hel"), chunk("lo")), undefined, 5],
    [
      "inside a text counts the part that came",
      events(chunk("Hel")) + 'data: {"choices":[{"delta":{"content":"lo wor',
      undefined,
      9,
    ],
    [
      "after Anthropic's start has the prompt, and is not final",
      events(message({ input_tokens: 25, output_tokens: 1 }), said("Hello")),
      used(25, 0, 0, 1),
      5,
    ],
    [
      "with running usage is not final",
      events(chunk("a", { usage: { prompt_tokens: 5, completion_tokens: 1 } })),
      used(5, 0, 0, 1),
      1,
    ],
    [
      "inside a JSON body counts the part that came",
      '{"choices":[{"message":{"content":"Hello wo',
      undefined,
      8,
    ],
    [
      "behind the usage of a JSON body knows it",
      '{"usage":{"prompt_tokens":5,"completion_tokens":1},"choices":[{"te',
      used(5, 0, 0, 1),
      0,
    ],
    ["inside its usage does not", '{"usage":{"prompt_tokens":5,"completion_tokens":1', undefined, 0],
    [
      "by an error event is not ended",
      events(chunk("Hi"), { error: { message: "overloaded" } }),
      undefined,
      2,
    ],
    ["before its first byte has nothing", "", undefined, 0],
  ])("%s", (_sentence, body, usage, producedBytes) => {
    const expected = {
      usage,
      produced: { bytes: producedBytes, tokens: Math.ceil(producedBytes / 4) },
      ended: false,
    };
    expect(measure([bytes(body)])).toEqual(expected);
    expect(measure(crumbs(bytes(body)))).toEqual(expected);
  });

  it("is ended when usage came after the stop, even without [DONE]", () => {
    expect(
      measure([bytes(events(chunk("Hi"), stop, last({ prompt_tokens: 1, completion_tokens: 2 })))]).ended,
    ).toBe(true);
    expect(
      measure([bytes(events(message({ input_tokens: 1, output_tokens: 1 }), delta({ output_tokens: 2 })))])
        .ended,
    ).toBe(true);
  });
});

describe("a meter", () => {
  it("tells what is known on the way, and the same again when asked to finish twice", () => {
    const meter = createMeter();
    meter.push(bytes(events(message({ input_tokens: 25, output_tokens: 1 }), said("Hello"))));
    expect(meter.soFar()).toEqual({
      usage: used(25, 0, 0, 1),
      produced: { bytes: 5, tokens: 2 },
      ended: false,
    });
    meter.push(bytes(events(delta({ output_tokens: 9 }), { type: "message_stop" })));
    const expected = { usage: used(25, 0, 0, 9), produced: { bytes: 5, tokens: 2 }, ended: true };
    expect(meter.finish()).toEqual(expected);
    expect(meter.finish()).toEqual(expected);
  });

  it("reads usage behind a picture of megabytes, in an event and in a body, and holds none of it", () => {
    const picture = "A".repeat(3_000_000);
    const response = { output: [{ type: "image_generation_call", result: picture }], usage: responseUsage };
    const expected = { usage: used(40, 60, 0, 20, 8), produced: { bytes: 0, tokens: 0 }, ended: true };
    expect(measure([bytes(events({ type: "response.completed", response }))])).toEqual(expected);
    expect(measure([bytes(JSON.stringify(response))])).toEqual(expected);
  });

  it("takes a usage object above 16 KiB for a missing one", () => {
    const usage = { prompt_tokens: 1, completion_tokens: 1, note: "x".repeat(17_000) };
    expect(measure([bytes(JSON.stringify({ usage }))])).toMatchObject({ usage: undefined, ended: true });
  });

  it("passes over nesting of any depth", () => {
    const deep = `{"a":${"[".repeat(200_000)}${"]".repeat(200_000)},"usage":{"prompt_tokens":1,"completion_tokens":2}}`;
    expect(measure([bytes(deep)]).usage).toEqual(used(1, 0, 0, 2));
    const objects = `{"a":${'{"usage":'.repeat(50_000)}1${"}".repeat(50_000)},"usage":{"prompt_tokens":1,"completion_tokens":2}}`;
    expect(measure([bytes(objects)]).usage).toEqual(used(1, 0, 0, 2));
  });

  it("is not misled by keys like __proto__, and changes no prototype", () => {
    const body =
      '{"__proto__":{"usage":{"prompt_tokens":7}},"usage":{"__proto__":{"prompt_tokens":9},"completion_tokens":2}}';
    expect(measure([bytes(body)]).usage).toEqual(used(0, 0, 0, 2));
    expect(Object.hasOwn(Object.prototype, "usage")).toBe(false);
  });

  it("leaves the bytes as they are", () => {
    const body = bytes(events(chunk("Hi"), "[DONE]"));
    const copy = body.slice();
    measure([body]);
    expect(body).toEqual(copy);
  });
});

describe("for any answer", () => {
  const whole = fc.constantFrom(...[...wholeAnswers, ...wholeStreams].map(([, body]) => bytes(body)));
  const rubbish = fc
    .array(
      fc.constantFrom(
        ...[
          "{",
          "}",
          "[",
          "]",
          '"',
          ":",
          ",",
          "\\",
          "u",
          "\n\n",
          "data: ",
          '"usage"',
          '"choices"',
          '"type"',
          "null",
          "1",
          " ",
          "é",
          "[DONE]",
          '"content"',
          '"message_delta"',
          '{"prompt_tokens":3}',
          "\r",
          "\uFEFF",
        ],
      ),
      { maxLength: 80 },
    )
    .map((pieces) => bytes(pieces.join("")));

  it("the chunks' boundaries make no difference", () => {
    fc.assert(
      fc.property(fc.oneof(whole, rubbish), places, (body, at) => {
        expect(measure(cut(body, at))).toEqual(measure([body]));
      }),
      { numRuns: 500 },
    );
  });

  it("a single byte at a time makes none either, and cut off anywhere it is still a measure", () => {
    fc.assert(
      fc.property(fc.oneof(whole, rubbish), fc.nat(5_000), (body, end) => {
        const part = body.subarray(0, end);
        const measured = measure([part]);
        expect(measure(crumbs(part))).toEqual(measured);
        expect(measured.produced.bytes).toBeLessThanOrEqual(part.length);
      }),
      { numRuns: 300 },
    );
  });

  it("any JSON whatever is read as JSON.parse reads it", () => {
    const value = fc.jsonValue({ maxDepth: 5 });
    fc.assert(
      fc.property(
        fc.dictionary(fc.string(), value),
        fc.nat(1_000),
        fc.nat(1_000),
        fc.constantFrom(0, 1, "\t"),
        (rest, prompt, completion, space) => {
          const answer = {
            ...rest,
            choices: [],
            type: "x",
            usage: { prompt_tokens: prompt, completion_tokens: completion },
          };
          expect(measure([bytes(JSON.stringify(answer, undefined, space))])).toMatchObject({
            usage: used(prompt, 0, 0, completion),
            ended: true,
          });
        },
      ),
    );
  });
});

describe("a usage object", () => {
  it.each([
    ["of null is missing", null, undefined],
    ["that is a list is missing", [1], undefined],
    ["without numbers is missing", {}, undefined],
    [
      "of rubbish is missing",
      { prompt_tokens: -1, completion_tokens: Number.NaN, total_tokens: 1e308 },
      undefined,
    ],
    ["with texts for numbers is missing", { prompt_tokens: "5", completion_tokens: true }, undefined],
    ["with fractions is missing", { input_tokens: 0.5, output_tokens: 1.5 }, undefined],
    [
      "with one number that is good has that one",
      { prompt_tokens: 5, completion_tokens: -1 },
      used(5, 0, 0, 0),
    ],
    ["of zeros is zero", { input_tokens: 0, output_tokens: 0 }, used(0, 0, 0, 0)],
    ["with only a total is all prompt", { total_tokens: 12 }, used(12, 0, 0, 0)],
    [
      "whose total hides reasoning has it as output",
      { prompt_tokens: 10, completion_tokens: 2, total_tokens: 30 },
      used(10, 0, 0, 20),
    ],
    [
      "whose total is below the sum has the sum",
      { prompt_tokens: 10, completion_tokens: 2, total_tokens: 3 },
      used(10, 0, 0, 2),
    ],
    [
      "with more cached than there is prompt has no negative rest",
      { prompt_tokens: 10, prompt_tokens_details: { cached_tokens: 50 } },
      used(0, 10, 0, 0),
    ],
    [
      "in DeepSeek's words",
      { prompt_tokens: 10, prompt_cache_hit_tokens: 4, prompt_cache_miss_tokens: 6, completion_tokens: 1 },
      used(6, 4, 0, 1),
    ],
    ["in Moonshot's words", { prompt_tokens: 10, cached_tokens: 4, completion_tokens: 1 }, used(6, 4, 0, 1)],
    [
      "in OpenRouter's words, cache writes included",
      {
        prompt_tokens: 10,
        prompt_tokens_details: { cached_tokens: 4, cache_write_tokens: 3 },
        completion_tokens: 1,
      },
      used(3, 4, 3, 1),
    ],
    [
      "in OpenAI's words with Anthropic's caches beside them",
      { prompt_tokens: 10, cache_read_input_tokens: 4, cache_creation_input_tokens: 3, completion_tokens: 1 },
      used(3, 4, 3, 1),
    ],
    [
      "in Anthropic's words with cache writes alone",
      { input_tokens: 1, cache_creation_input_tokens: 3, output_tokens: 2 },
      used(1, 0, 3, 2),
    ],
    [
      "whose sum passes a thousand million is no answer's, and is not believed",
      { prompt_tokens: 999_999_999, completion_tokens: 2 },
      undefined,
    ],
    [
      "of a thousand million is",
      { prompt_tokens: 999_999_999, completion_tokens: 1 },
      used(999_999_999, 0, 0, 1),
    ],
  ])("%s", (_sentence, usage, expected) => {
    expect(readUsage(usage)).toEqual(expected);
  });

  it("always has parts that add up to a whole total", () => {
    const number = fc.oneof(
      fc.nat(),
      fc.double(),
      fc.constantFrom(0, -0, 1e308, Number.MAX_SAFE_INTEGER, "1", null, true, {}),
    );
    const names = [
      "prompt_tokens",
      "completion_tokens",
      "input_tokens",
      "output_tokens",
      "total_tokens",
      "cached_tokens",
      "cache_read_input_tokens",
      "cache_creation_input_tokens",
    ] as const;
    const usage = fc.record(
      {
        ...Object.fromEntries(names.map((name) => [name, number])),
        prompt_tokens_details: fc.record({ cached_tokens: number }, { requiredKeys: [] }),
        completion_tokens_details: fc.record({ reasoning_tokens: number }),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(usage, (object) => {
        const read = readUsage(object);
        if (read === undefined) return;
        const { input, cachedInput, cacheWrite, output, total, reasoning = 0 } = read;
        for (const part of [input, cachedInput, cacheWrite, output, total, reasoning]) {
          expect(Number.isSafeInteger(part) && part >= 0 && !Object.is(part, -0)).toBe(true);
        }
        expect(input + cachedInput + cacheWrite + output).toBe(total);
        expect(reasoning).toBeLessThanOrEqual(output);
      }),
    );
  });
});
