import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  createEstimates,
  createTypicalOutputs,
  estimateTokens,
  measuredAmounts,
  outputLimit,
  type MeasuredUsage,
  type RequestToEstimate,
} from "../src/index.js";
import { bytes } from "./bytes.js";

const base64 = (length: number) => "iVBORw0KGgo".padEnd(length, "Ab0/");
const image = (url: unknown) => ({ messages: [{ content: [{ type: "image_url", image_url: url }] }] });
/** The keys and values around the image of `image({ url })`, which are text. */
const aroundImage = estimateTokens(image({ url: 0 })) - 1;

describe("estimateTokens", () => {
  it.each([
    ["counts a token per four bytes of strings and keys, rounded up once", { abc: "de", f: "ghi" }, 3],
    ["counts UTF-8 bytes", ["é你😀"], 3],
    ["counts half a surrogate pair as the three bytes it is written as, or fewer", ["\ud800"], 1],
    ["counts a list of tokens by their number", { input: [1, 2, 3, 4, 5] }, 7],
    ["counts other values as a token each", [true, null, 1.5], 3],
    ["counts nothing in nothing", {}, 0],
    ["counts a number", 5, 1],
    ["counts a missing body as one", undefined, 1],
    ["counts a signature as nothing", { signature: "x".repeat(1000) }, 0],
    [
      "counts an inline image flat",
      image({ url: `data:image/png;base64,${base64(100_000)}` }),
      aroundImage + 1500,
    ],
    ["counts a linked image flat", image({ url: "https://example.com/a.png" }), aroundImage + 1500],
    [
      "counts an image of the Responses API flat",
      { image_url: `data:image/png;base64,${base64(1000)}` },
      1503,
    ],
    ["counts Anthropic's image flat", { source: { type: "base64", data: base64(100_000) } }, 1500 + 5],
    ["counts Anthropic's linked image flat", { source: { url: "https://example.com/a.png" } }, 1500 + 3],
    ["counts a PDF by its size", { data: "JVBERi".padEnd(500_000, "A") }, 10_001],
    [
      "counts a PDF in a data URL by its size",
      { file_data: `data:application/pdf;base64,${"JVBERi".padEnd(999_972, "A")}` },
      20_003,
    ],
    ["counts a small PDF as an image", { data: "JVBERi".padEnd(500, "A") }, 1501],
    ["counts a link in text as text", { url: "https://example.com/" }, 6],
    ["counts text under the key of data as text", { data: "Once upon a time, ".repeat(100) }, 451],
    ["counts short data as text", { data: "abcd" }, 2],
    [
      "counts a data URL in the text as text",
      { content: `![](data:image/png;base64,${base64(4_000)})` },
      1009,
    ],
    ["counts base64 in the text as text", { content: base64(4_000) }, 1002],
    ["counts keys like __proto__", JSON.parse('{"__proto__":"abc","constructor":{"toString":1}}'), 9],
  ])("%s", (_sentence, body, tokens) => {
    expect(estimateTokens(body)).toBe(tokens);
  });

  it("takes what an image counts as from its caller", () => {
    expect(estimateTokens({ data: base64(100_000) }, { mediaTokens: 10 })).toBe(11);
  });

  it("stands nesting of any depth, from bytes too", () => {
    const nested = `${"[".repeat(500_000)}"text"${"]".repeat(500_000)}`;
    expect(estimateTokens(JSON.parse(nested))).toBe(1);
    const objects = `${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}`;
    expect(estimateTokens(JSON.parse(objects))).toBe(25_001);
    expect(createEstimates().typicalEstimate({ apiKeyId: "k", body: bytes(nested) }).promptTokens).toBe(1);
  });

  it("comes to an end with a body that contains itself", () => {
    const body: unknown[] = [];
    body.push(body);
    expect(estimateTokens(body)).toBe(0);
  });

  it("is at least a quarter of the text and never more than the JSON's bytes, and grows with it", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.string({ unit: "binary" }), (body, more) => {
        const tokens = estimateTokens(body);
        expect(Number.isSafeInteger(tokens)).toBe(true);
        expect(tokens).toBeLessThanOrEqual(bytes(JSON.stringify(body)).length);
        expect(estimateTokens([body, more])).toBeGreaterThanOrEqual(Math.max(tokens, bytes(more).length / 4));
      }),
    );
  });
});

describe("outputLimit", () => {
  it.each([
    ["OpenAI's old name", { max_tokens: 100 }, 100],
    ["OpenAI's new name", { max_completion_tokens: 100 }, 100],
    ["the name of the Responses API", { max_output_tokens: 100 }, 100],
    ["the largest of several", { max_tokens: 100, max_completion_tokens: 300 }, 300],
    ["times the number of answers", { max_tokens: 100, n: 3 }, 300],
    ["times the number of tries", { max_tokens: 100, n: 2, best_of: 5 }, 500],
    ["an n of 0 as one answer", { max_tokens: 100, n: 0 }, 100],
    ["a limit of 0", { max_tokens: 0 }, 0],
    ["a vast limit as 10^12", { max_tokens: Number.MAX_SAFE_INTEGER, n: Number.MAX_SAFE_INTEGER }, 1e12],
    ["no limit", { n: 3 }, undefined],
    ["no limit in null", { max_tokens: null }, undefined],
    [
      "no limit in a text, a fraction, a negative, 1e308, true",
      { max_tokens: "5", max_completion_tokens: 1.5, max_output_tokens: -1 },
      undefined,
    ],
    ["no limit in what no number can hold", { max_tokens: 1e308, max_output_tokens: true }, undefined],
    ["an n that is rubbish as one answer", { max_tokens: 100, n: 1e308, best_of: "4" }, 100],
    ["no limit in a list", [{ max_tokens: 1 }], undefined],
    ["no limit in a number", 5, undefined],
    ["no limit in nothing", null, undefined],
  ])("reads %s", (_sentence, body, limit) => {
    expect(outputLimit(body)).toBe(limit);
  });
});

describe("createTypicalOutputs", () => {
  const answer = (output: number, prompt = 100, estimatedPrompt = 100) => ({
    output,
    prompt,
    estimatedPrompt,
  });
  const alice = { apiKeyId: "alice", model: "m" };

  it("knows nothing at first, then the first answer, then averages with weight 0.2", () => {
    const typical = createTypicalOutputs();
    expect(typical.recall(alice)).toBeUndefined();
    typical.learn(alice, answer(1000));
    expect(typical.recall(alice)).toEqual({ output: 1000, promptFactor: 1 });
    typical.learn(alice, answer(500));
    expect(typical.recall(alice)?.output).toBe(900);
    typical.learn(alice, answer(0));
    expect(typical.recall(alice)?.output).toBeCloseTo(720, 9);
  });

  it.each([
    ["prompts that were underestimated", answer(1, 150, 100), 1.5],
    ["prompts that were overestimated", answer(1, 50, 100), 0.5],
    ["prompts that were far underestimated, up to 4", answer(1, 100_000, 3), 4],
    ["prompts that were far overestimated, down to 0.25", answer(1, 3, 100_000), 0.25],
    ["prompts that the provider counts as nothing, not at all", answer(1, 0, 100), 1],
    ["prompts that were estimated as nothing, not at all", answer(1, 100, 0), 1],
  ])("corrects %s", (_sentence, settled, promptFactor) => {
    const typical = createTypicalOutputs();
    typical.learn(alice, settled);
    expect(typical.recall(alice)?.promptFactor).toBe(promptFactor);
  });

  it("lets large prompts weigh more than small ones", () => {
    const typical = createTypicalOutputs();
    typical.learn(alice, answer(1, 10_000, 10_000));
    typical.learn(alice, answer(1, 40, 10));
    expect(typical.recall(alice)?.promptFactor).toBeLessThan(1.01);
  });

  it.each([Number.NaN, -1, Number.POSITIVE_INFINITY])("learns nothing from %d", (rubbish) => {
    const typical = createTypicalOutputs();
    typical.learn(alice, answer(rubbish));
    typical.learn(alice, answer(1, rubbish));
    typical.learn(alice, answer(1, 1, rubbish));
    expect(typical.recall(alice)).toBeUndefined();
  });

  it("keeps pairs apart whose names run together, and names like __proto__", () => {
    const typical = createTypicalOutputs();
    const ids = ["a", "ab", "a|b", "1:a", "", "__proto__", "constructor", "{x}", "é"];
    const pairs = ids.flatMap((apiKeyId) => ids.map((model) => ({ apiKeyId, model })));
    pairs.forEach((pair, index) => typical.learn(pair, answer(index)));
    expect(pairs.map((pair) => typical.recall(pair)?.output)).toEqual(pairs.map((_pair, index) => index));
    expect(typical.size()).toBe(ids.length ** 2);
  });

  it("does not remember names above 256 characters", () => {
    const typical = createTypicalOutputs();
    typical.learn({ apiKeyId: "alice", model: "m".repeat(1_000_000) }, answer(1));
    typical.learn({ apiKeyId: "a".repeat(257), model: "m" }, answer(1));
    expect(typical.size()).toBe(0);
    typical.learn({ apiKeyId: "a".repeat(256), model: "m".repeat(256) }, answer(1));
    expect(typical.size()).toBe(1);
  });

  it("forgets the pair that was used least recently", () => {
    const typical = createTypicalOutputs({ maxPairs: 2 });
    const [a, b, c] = ["a", "b", "c"].map((model) => ({ apiKeyId: "alice", model })) as [
      typeof alice,
      typeof alice,
      typeof alice,
    ];
    typical.learn(a, answer(1));
    typical.learn(b, answer(2));
    typical.recall(a);
    typical.learn(c, answer(3));
    expect([a, b, c].map((pair) => typical.recall(pair)?.output)).toEqual([1, undefined, 3]);
  });

  it("stays within what was seen, within its bounds and within its size", () => {
    const pair = fc.record({
      apiKeyId: fc.constantFrom("a", "b", "__proto__"),
      model: fc.string({ maxLength: 2 }),
    });
    const settled = fc.record({ output: fc.nat(1e6), prompt: fc.nat(1e6), estimatedPrompt: fc.nat(1e6) });
    fc.assert(
      fc.property(fc.array(fc.tuple(pair, settled), { minLength: 1 }), (learned) => {
        const typical = createTypicalOutputs({ maxPairs: 5 });
        for (const [to, what] of learned) typical.learn(to, what);
        expect(typical.size()).toBeLessThanOrEqual(5);
        const outputs = learned.map(([, { output }]) => output);
        const last = typical.recall(learned.at(-1)![0])!;
        expect(last.output).toBeGreaterThanOrEqual(Math.min(...outputs) - 1e-6);
        expect(last.output).toBeLessThanOrEqual(Math.max(...outputs) + 1e-6);
        expect(last.promptFactor).toBeGreaterThanOrEqual(0.25);
        expect(last.promptFactor).toBeLessThanOrEqual(4);
      }),
    );
  });
});

const usageOf = (prompt: number, output: number): MeasuredUsage => ({
  ...{ input: prompt, cachedInput: 0, cacheWrite: 0 },
  ...{ output, total: prompt + output },
});

describe("the ready-made estimates", () => {
  /** Forty bytes of text and keys: ten tokens. */
  const prompt = { messages: "x".repeat(32) };
  const request = (rest: object = {}) => ({ apiKeyId: "alice", model: "m", body: { ...prompt, ...rest } });
  /** `max_tokens` is ten bytes of key and a number. */
  const limited = (limit: number) => ({
    prompt: estimateTokens({ ...prompt, max_tokens: limit }),
    ...request({ max_tokens: limit }),
  });

  it("typical: 500 of output before any answer", () => {
    expect(createEstimates().typicalEstimate(request())).toEqual({
      ...{
        requests: 1,
        tokens: 510,
        pricedTokens: 3010,
        promptTokens: 10,
        countedPromptTokens: 10,
        model: "m",
      },
    });
  });

  it("typical: the output limit where that is smaller than 500", () => {
    expect(createEstimates().typicalEstimate(limited(50)).tokens).toBe(limited(50).prompt + 50);
    expect(createEstimates().typicalEstimate(limited(5000)).tokens).toBe(limited(5000).prompt + 500);
  });

  it("bound: the output limit, or 4096 where the request sets none", () => {
    expect(createEstimates().boundEstimate(limited(50)).tokens).toBe(limited(50).prompt + 50);
    expect(createEstimates().boundEstimate(limited(32_000)).tokens).toBe(limited(32_000).prompt + 32_000);
    expect(createEstimates().boundEstimate(request()).tokens).toBe(10 + 4096);
    expect(createEstimates({ unstatedLimit: 100 }).boundEstimate(request()).tokens).toBe(10 + 100);
  });

  it("learn from settled answers, per key and model", () => {
    const estimates = createEstimates();
    const estimate = estimates.typicalEstimate(request());
    estimates.learn({ apiKeyId: "alice", estimate, usage: usageOf(15, 2000) });
    expect(estimates.typicalEstimate(request())).toMatchObject({
      tokens: 2015,
      promptTokens: 15,
      countedPromptTokens: 10,
    });
    expect(estimates.boundEstimate(limited(100)).tokens).toBe(Math.ceil(limited(100).prompt * 1.5) + 100);
    expect(estimates.typicalEstimate({ ...request(), apiKeyId: "bob" }).tokens).toBe(510);
    expect(estimates.typicalEstimate({ ...request(), model: "n" }).tokens).toBe(510);
  });

  it("typical: never above the request's own limit", () => {
    const estimates = createEstimates();
    estimates.learn({
      apiKeyId: "alice",
      estimate: estimates.typicalEstimate(request()),
      usage: usageOf(10, 2000),
    });
    expect(estimates.typicalEstimate(limited(300)).tokens).toBe(limited(300).prompt + 300);
  });

  it("learn what was counted, not what was corrected: the factor does not run away", () => {
    const estimates = createEstimates();
    for (let i = 0; i < 50; i++) {
      estimates.learn({
        apiKeyId: "alice",
        estimate: estimates.typicalEstimate(request()),
        usage: usageOf(20, 1),
      });
    }
    expect(estimates.typicalEstimate(request()).promptTokens).toBe(20);
  });

  it("count caches as prompt when they learn", () => {
    const estimates = createEstimates();
    const usage = { input: 5, cachedInput: 10, cacheWrite: 5, output: 1, total: 21 };
    estimates.learn({ apiKeyId: "alice", estimate: estimates.typicalEstimate(request()), usage });
    expect(estimates.typicalEstimate(request()).promptTokens).toBe(20);
  });

  it("expect no output of embeddings", () => {
    const embed = { ...request(), path: "/v1/embeddings" };
    expect(createEstimates().typicalEstimate(embed).tokens).toBe(10);
    expect(createEstimates().boundEstimate(embed).tokens).toBe(10);
  });

  it("read the body from bytes and text as from its value, and the model from the body", () => {
    const body = { model: "m2", messages: [{ role: "user", content: "é你😀" }], max_tokens: 7 };
    const estimates = createEstimates();
    const typicalEstimate = (request: RequestToEstimate) => estimates.typicalEstimate(request);
    const expected = typicalEstimate({ apiKeyId: "k", body });
    expect(expected.model).toBe("m2");
    expect(typicalEstimate({ apiKeyId: "k", body: bytes(JSON.stringify(body)) })).toEqual(expected);
    expect(typicalEstimate({ apiKeyId: "k", body: Buffer.from(JSON.stringify(body)) })).toEqual(expected);
    expect(typicalEstimate({ apiKeyId: "k", body: JSON.stringify(body) })).toEqual(expected);
  });

  it.each([
    ["that is broken JSON by its bytes", bytes('{"messages":'), 3],
    ["that is text by its length", "hello wo", 2],
    ["that is empty as nothing", bytes(""), 0],
    ["that is a list", [1, 2], 2],
    ["that is a number", 5, 1],
    ["that is missing", undefined, 1],
    ["of null", null, 1],
  ])("estimate a body %s", (_sentence, body, promptTokens) => {
    expect(createEstimates().typicalEstimate({ apiKeyId: "k", body })).toMatchObject({
      promptTokens,
      tokens: promptTokens + 500,
    });
  });

  it("are whole, countable numbers for any body and after any lesson", () => {
    const amount = fc.oneof(fc.nat(1e9), fc.constantFrom(0, 1e12));
    const body = fc.oneof(
      fc.jsonValue(),
      fc.record({
        max_tokens: fc.oneof(fc.nat(), fc.double(), fc.maxSafeInteger()),
        n: fc.oneof(fc.nat(), fc.double()),
      }),
    );
    fc.assert(
      fc.property(
        body,
        fc.array(fc.tuple(amount, amount)),
        fc.constantFrom("a", "__proto__"),
        (value, lessons, apiKeyId) => {
          const estimates = createEstimates();
          const asked = { apiKeyId, body: value };
          for (const [prompt, output] of lessons) {
            estimates.learn({
              apiKeyId,
              estimate: estimates.typicalEstimate(asked),
              usage: usageOf(prompt, output),
            });
          }
          for (const estimate of [estimates.typicalEstimate(asked), estimates.boundEstimate(asked)]) {
            expect(Number.isSafeInteger(estimate.tokens) && estimate.tokens >= 0).toBe(true);
            expect(estimate.tokens).toBeGreaterThanOrEqual(estimate.promptTokens);
          }
          const limit = outputLimit(value);
          if (limit !== undefined) {
            const { tokens, promptTokens } = estimates.typicalEstimate(asked);
            expect(tokens - promptTokens).toBeLessThanOrEqual(limit);
          }
        },
      ),
    );
  });
});

describe("measuredAmounts charges", () => {
  const produced = { bytes: 40, tokens: 10 };
  it.each([
    ["the provider's total of a whole answer", { usage: usageOf(100, 5), produced, ended: true }, 105],
    ["usage of 0 as 0", { usage: usageOf(0, 0), produced, ended: true }, 0],
    [
      "what was produced, where a cut-off answer's usage says less",
      { usage: usageOf(100, 1), produced, ended: false },
      110,
    ],
    [
      "the usage, where a cut-off answer produced less than it says",
      { usage: usageOf(100, 25), produced, ended: false },
      125,
    ],
    [
      "the estimated prompt and what was produced, where nothing was said",
      { usage: undefined, produced, ended: true },
      43,
    ],
    [
      "the estimated prompt of an answer that was cut off before it said anything",
      { usage: undefined, produced: { bytes: 0, tokens: 0 }, ended: false },
      33,
    ],
  ])("%s", (_sentence, measured, tokens) => {
    expect(measuredAmounts({ measured, promptTokens: 33 })).toEqual({ requests: 1, tokens });
  });
});
