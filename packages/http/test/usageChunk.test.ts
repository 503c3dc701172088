import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { dropUsageChunk, includeUsage } from "../src/index.js";
import { bytes, crumbs, cut, events, places, text } from "./bytes.js";

const asked = (body: string) => {
  const result = includeUsage(bytes(body));
  return { body: text([result.body]), added: result.added };
};

describe("includeUsage", () => {
  it.each([
    [
      "asks when the client streams",
      '{"model":"m","stream":true}',
      '{"stream_options":{"include_usage":true},"model":"m","stream":true}',
    ],
    [
      "asks when the client set no options",
      '{"stream":true,"stream_options":null}',
      '{"stream":true,"stream_options":{"include_usage":true}}',
    ],
    [
      "asks when the client declined",
      '{"stream":true,"stream_options":{"include_usage":false}}',
      '{"stream":true,"stream_options":{"include_usage":true}}',
    ],
    [
      "keeps the client's other options",
      '{"stream_options": { "x": 1 } ,"stream":true}',
      '{"stream_options": {"x":1,"include_usage":true} ,"stream":true}',
    ],
    [
      "keeps every other byte",
      ' {\n "seed": 12345678901234567890, "stream" : true, "t": 1.0, "é":"\\u00e9" }\n',
      ' {"stream_options":{"include_usage":true},\n "seed": 12345678901234567890, "stream" : true, "t": 1.0, "é":"\\u00e9" }\n',
    ],
    [
      "lets the last of two equal keys count, as JSON.parse does",
      '{"stream":false,"stream":true,"stream_options":{"include_usage":true},"stream_options":{}}',
      '{"stream":false,"stream":true,"stream_options":{"include_usage":true},"stream_options":{"include_usage":true}}',
    ],
    [
      "leaves a byte order mark where it is",
      '\uFEFF{"stream":true}',
      '\uFEFF{"stream_options":{"include_usage":true},"stream":true}',
    ],
    [
      "is not misled by streams further down",
      '{"metadata":{"stream_options":{"include_usage":true}},"stream":true}',
      '{"stream_options":{"include_usage":true},"metadata":{"stream_options":{"include_usage":true}},"stream":true}',
    ],
  ])("%s", (_sentence, body, expected) => {
    expect(asked(body)).toEqual({ body: expected, added: true });
    expect(asked(expected)).toEqual({ body: expected, added: false });
  });

  it.each([
    ["the client asked itself", '{"stream":true,"stream_options":{"include_usage":true}}'],
    ["nothing streams", '{"model":"m"}'],
    ["streaming is off", '{"stream":false}'],
    ["stream is no boolean", '{"stream":"true"}'],
    ["the last of two streams is off", '{"stream":true,"stream":false}'],
    ["the stream is further down", '{"metadata":{"stream":true}}'],
    ["the options are of a wrong type", '{"stream":true,"stream_options":"x"}'],
    ["the options are a list", '{"stream":true,"stream_options":[]}'],
    ["the body is a list", '[{"stream":true}]'],
    ["the body is not finished", '{"stream":true'],
    ["the body is two", '{"stream":true}{"stream":true}'],
    ["the body is text", "stream"],
    ["the body is empty", ""],
  ])("changes nothing when %s", (_sentence, body) => {
    expect(asked(body)).toEqual({ body, added: false });
  });

  it("always gives the body that parsing, setting and writing would give", () => {
    const options = fc.oneof(
      fc.constantFrom(null, {}, { include_usage: false }, { include_usage: true }),
      fc.dictionary(fc.string(), fc.jsonValue()),
    );
    const request = fc.record(
      { stream: fc.constantFrom(true, false, null), stream_options: options, messages: fc.jsonValue() },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(request, fc.dictionary(fc.string(), fc.jsonValue()), (known, rest) => {
        const body = { ...rest, ...known };
        const result = asked(JSON.stringify(body, undefined, 1));
        const { stream, stream_options } = JSON.parse(JSON.stringify(body)) as typeof known;
        const wants =
          stream === true &&
          (stream_options as { include_usage?: unknown } | null | undefined)?.include_usage !== true;
        const expected = wants
          ? { ...body, stream_options: { ...stream_options, include_usage: true } }
          : body;
        expect(result.added).toBe(wants);
        expect(JSON.parse(result.body)).toEqual(JSON.parse(JSON.stringify(expected)));
      }),
    );
  });
});

function through(chunks: readonly Uint8Array[], limit?: number): string {
  const filter = dropUsageChunk(limit === undefined ? {} : { limit });
  // Copied, since what is handed on may be a view of the chunk.
  const out = chunks.map((chunk) => filter.push(chunk).slice());
  return text([...out, filter.flush()]);
}

const hi = { choices: [{ delta: { content: "é你😀" } }], usage: null };
const usage = { choices: [], usage: { prompt_tokens: 1, completion_tokens: 2 } };
const chunkOf = (value: unknown) => JSON.stringify(value);

describe("dropUsageChunk", () => {
  const cases: [sentence: string, stream: string, expected: string][] = [
    ["takes the usage chunk out", events(hi, usage, "[DONE]"), events(hi, "[DONE]")],
    ["takes it out where line ends are CR", `data: ${chunkOf(usage)}\r\rdata: a\r\r`, "data: a\r\r"],
    [
      "takes it out where line ends are CRLF",
      `data: x\r\n\r\ndata: ${chunkOf(usage)}\r\n\r\ndata: a\r\n\r\n`,
      "data: x\r\n\r\ndata: a\r\n\r\n",
    ],
    [
      "takes it out with its other fields",
      `id: 1\nevent: x\ndata: ${chunkOf(usage)}\nretry: 5\n\ndata: a\n\n`,
      "data: a\n\n",
    ],
    [
      "takes it out when it comes over several lines",
      'data: {"choices": [\ndata: ],"usage":{}}\n\ndata: a\n\n',
      "data: a\n\n",
    ],
    ["takes it out when its blank line is missing", events(hi) + `data: ${chunkOf(usage)}`, events(hi)],
    [
      "leaves the comments that stand before and within it",
      `: ping\n\n: pong\ndata: ${chunkOf(usage)}\r\n:\r\n\r\ndata: a\n\n`,
      ": ping\n\n: pong\n:\r\ndata: a\n\n",
    ],
    [
      "leaves usage that comes with text",
      events({ ...hi, usage: usage.usage }),
      events({ ...hi, usage: usage.usage }),
    ],
    [
      "leaves a chunk without choices and with no usage, as Azure sends first",
      events({ choices: [], prompt_filter_results: [] }, { choices: [], usage: null }),
      events({ choices: [], prompt_filter_results: [] }, { choices: [], usage: null }),
    ],
    [
      "leaves text that looks like one",
      events({ choices: [{ delta: { content: chunkOf(usage) } }] }),
      events({ choices: [{ delta: { content: chunkOf(usage) } }] }),
    ],
    ["leaves what is not JSON", 'data: "usage" {\n\n', 'data: "usage" {\n\n'],
    [
      "leaves an unfinished event",
      events(hi) + 'data: {"choices":[],"usage":{',
      events(hi) + 'data: {"choices":[],"usage":{',
    ],
    [
      "leaves byte order marks, blank lines and stray line ends",
      "\uFEFF\n\r\n\r\r\n\n: a\n\ndata: b\r\n\r\n\n",
      "\uFEFF\n\r\n\r\r\n\n: a\n\ndata: b\r\n\r\n\n",
    ],
    ["leaves a JSON body", chunkOf(usage), chunkOf(usage)],
    ["leaves nothing of nothing", "", ""],
  ];
  it.each(cases)("%s", (_sentence, stream, expected) => {
    expect(through([bytes(stream)])).toBe(expected);
    expect(through(crumbs(bytes(stream)))).toBe(expected);
  });

  it("hands an event on as soon as it is complete", () => {
    const filter = dropUsageChunk();
    expect(text([filter.push(bytes("data: a\n\ndata: "))])).toBe("data: a\n\n");
    expect(text([filter.push(bytes("b\n"))])).toBe("");
    expect(text([filter.push(bytes("\nda"))])).toBe("data: b\n\n");
    expect(text([filter.flush()])).toBe("da");
  });

  it("holds back no more than its limit: what is larger passes at once and whole, later chunks are still found", () => {
    const filter = dropUsageChunk({ limit: 100 });
    const large = `data: ${"x".repeat(150)}`;
    expect(text([filter.push(bytes(large))])).toBe(large);
    expect(text([filter.push(bytes("y\n\n" + events(usage) + "data: z\n\n"))])).toBe("y\n\ndata: z\n\n");
    const padded = events({ ...usage, padding: "x".repeat(100) });
    expect(through([bytes(padded)], 100)).toBe(padded);
  });

  it("keeps what it holds when the chunk's memory is used again", () => {
    const filter = dropUsageChunk();
    const memory = bytes("data: abc");
    const first = filter.push(memory);
    memory.fill(0);
    expect(text([first, filter.push(bytes("d\n\n"))])).toBe("data: abcd\n\n");
  });

  describe("for any stream", () => {
    const end = fc.constantFrom("\n", "\r", "\r\n");
    const line = fc.oneof(
      fc.constantFrom("data: a", ": c", "data", "id: 4", "x", ":", 'data: {"choices":[]}', "data: [DONE]"),
      fc.constantFrom(`data: ${chunkOf(hi)}`, `data: ${chunkOf(usage)}`),
    );
    const stream = fc.array(fc.tuple(fc.oneof(line, fc.constant("")), end), { maxLength: 30 });

    it("the chunks' boundaries make no difference", () => {
      fc.assert(
        fc.property(stream, places, fc.constantFrom(20, 74, 1_000), (lines, at, limit) => {
          const whole = bytes(lines.flat().join(""));
          expect(through(cut(whole, at), limit)).toBe(through([whole], limit));
          expect(through(crumbs(whole), limit)).toBe(through([whole], limit));
        }),
        { numRuns: 300 },
      );
    });

    it("all but the usage chunks passes as it came", () => {
      const event = fc.oneof(
        fc.constantFrom(hi, { choices: [] }, "[DONE]").map((value) => ({ value, stays: true })),
        fc.constant({ value: usage, stays: false }),
      );
      const written = fc.array(fc.tuple(event, end));
      const writtenOut = (items: readonly [{ value: unknown }, string][]) =>
        items
          .map(([{ value }, e]) => `data: ${typeof value === "string" ? value : chunkOf(value)}${e}${e}`)
          .join("");
      fc.assert(
        fc.property(written, places, (items, at) => {
          const expected = writtenOut(items.filter(([{ stays }]) => stays));
          expect(through(cut(bytes(writtenOut(items)), at))).toBe(expected);
        }),
      );
    });

    it("bytes that are no event stream pass as they came", () => {
      fc.assert(
        fc.property(
          fc.uint8Array({ maxLength: 300 }),
          places,
          fc.constantFrom(10, 1_000),
          (whole, at, limit) => {
            const filter = dropUsageChunk({ limit });
            const out = cut(whole, at).map((chunk) => filter.push(chunk).slice());
            expect(Buffer.concat([...out, filter.flush()]).equals(whole)).toBe(true);
          },
        ),
      );
    });
  });
});
