import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { sseDecoder } from "../src/index.js";
import { bytes, crumbs, cut, places } from "./bytes.js";

function read(chunks: readonly Uint8Array[], limit?: number) {
  const decoder = sseDecoder(limit === undefined ? {} : { limit });
  const events = chunks.flatMap((chunk) => decoder.push(chunk));
  return { events, last: decoder.finish(), skipped: decoder.skipped() };
}

const message = (data: string) => ({ event: "message", data, lastEventId: "" });

describe("sseDecoder reads", () => {
  const cases: [sentence: string, stream: string, events: unknown[]][] = [
    ["one event", "data: a\n\n", [message("a")]],
    ["lines that end in CR", "data: a\r\rdata: b\r\r", [message("a"), message("b")]],
    ["lines that end in CRLF", "data: a\r\n\r\ndata: b\r\n\r\n", [message("a"), message("b")]],
    ["line ends of all three kinds in one event", "data: a\rdata: b\r\ndata: c\n\r\n", [message("a\nb\nc")]],
    [
      "a blank line made of CR, then LF, as one line end",
      "data: a\n\r\ndata: b\n\n",
      [message("a"), message("b")],
    ],
    ["several data lines as one text", "data: a\ndata:\ndata: c\n\n", [message("a\n\nc")]],
    ["a value without the space", "data:a\n\n", [message("a")]],
    ["only the first space as a separator", "data:  a \n\n", [message(" a ")]],
    ["a colon inside the value", "data: a:b\n\n", [message("a:b")]],
    [
      "an event's type, for that event alone",
      "event: ping\ndata: 1\n\ndata: 2\n\n",
      [{ event: "ping", data: "1", lastEventId: "" }, message("2")],
    ],
    [
      "an id, for all later events",
      "id: 7\ndata: 1\n\ndata: 2\n\n",
      [
        { event: "message", data: "1", lastEventId: "7" },
        { event: "message", data: "2", lastEventId: "7" },
      ],
    ],
    [
      "no id that holds a NUL",
      "id: 1\ndata: 1\n\nid: 2\0\ndata: 2\n\n",
      [
        { event: "message", data: "1", lastEventId: "1" },
        { event: "message", data: "2", lastEventId: "1" },
      ],
    ],
    ["a data field without a colon as an empty line", "data\n\n", [message("")]],
    ["two of them as a line feed", "data\ndata\n\n", [message("\n")]],
    ["no event without data", "event: ping\nid: 3\n\n", []],
    ["past comments", ": hello\ndata: a\n:\n: b\n\n: c\n\n", [message("a")]],
    ["past unknown and longer names", "dat: x\ndatas: x\nretry: 10\n data: x\ndata: a\n\n", [message("a")]],
    ["past a byte order mark", "\uFEFFdata: a\n\n", [message("a")]],
    ["past one byte order mark alone", "\uFEFF\uFEFFdata: a\n\ndata: b\n\n", [message("b")]],
    [
      "a byte order mark inside the stream as a character",
      "data: a\n\n\uFEFFdata: b\n\ndata: \uFEFFc\n\n",
      [message("a"), message("\uFEFFc")],
    ],
    ["characters of two, three and four bytes", "data: é你😀\n\n", [message("é你😀")]],
    [
      "ids and types like __proto__",
      "event: __proto__\nid: constructor\ndata: a\n\n",
      [{ event: "__proto__", data: "a", lastEventId: "constructor" }],
    ],
    ["nothing in nothing", "", []],
    ["nothing in blank lines", "\n\r\n\r\r", []],
  ];
  it.each(cases)("%s", (_sentence, stream, events) => {
    expect(read([bytes(stream)])).toEqual({ events, last: undefined, skipped: 0 });
    expect(read(crumbs(bytes(stream)))).toEqual({ events, last: undefined, skipped: 0 });
  });

  it.each([
    ["an event without its blank line, handed over at the end", "data: a\n\ndata: b\n", message("b")],
    ["a line without its line end, handed over at the end", "data: a\n\ndata: b", message("b")],
    ["a field name alone at the end", "data: a\n\ndata", message("")],
  ])("%s", (_sentence, stream, last) => {
    expect(read([bytes(stream)])).toEqual({ events: [message("a")], last, skipped: 0 });
  });

  it("bytes that are not UTF-8 as replacement characters", () => {
    const stream = Uint8Array.of(...bytes("data: "), 0xe4, 0xbd, ...bytes("a\n\n"));
    expect(read([stream]).events).toEqual([message("\uFFFDa")]);
  });
});

describe("an event above the limit", () => {
  it("is passed over and counted; later events are read", () => {
    const stream = bytes(`data: a\n\ndata: ${"x".repeat(200)}\n\ndata: b\n\n`);
    const expected = { events: [message("a"), message("b")], last: undefined, skipped: 1 };
    expect(read([stream], 100)).toEqual(expected);
    expect(read(crumbs(stream), 100)).toEqual(expected);
  });

  it("is one whose lines are many, too", () => {
    const stream = bytes(`${"data:\n".repeat(200)}\ndata: b\n\n`);
    expect(read([stream], 100)).toEqual({ events: [message("b")], last: undefined, skipped: 1 });
  });

  it("that never ends is not handed over at the end", () => {
    expect(read([bytes(`data: ${"x".repeat(200)}`)], 100)).toEqual({
      events: [],
      last: undefined,
      skipped: 1,
    });
  });

  it("does not include an event of exactly the limit, its final line feed counted", () => {
    expect(read([bytes(`data: ${"x".repeat(99)}\n\n`)], 100)).toMatchObject({
      events: [message("x".repeat(99))],
    });
    expect(read([bytes(`data: ${"x".repeat(100)}\n\n`)], 100)).toMatchObject({ events: [], skipped: 1 });
  });

  it("ignores a type or an id that is too long, not the event", () => {
    const long = `event: ${"x".repeat(200)}\nid: ${"y".repeat(200)}\ndata: a\n\n`;
    expect(read([bytes(long)], 100).events).toEqual([message("a")]);
    expect(read([bytes(`id: 1\n${long}`)], 100).events).toEqual([{ ...message("a"), lastEventId: "1" }]);
  });
});

describe("for any stream", () => {
  const piece = fc.constantFrom(
    ...[
      "data",
      "event",
      "id",
      "retry",
      ":",
      " ",
      "\n",
      "\r",
      "\r\n",
      "\n\n",
      "a",
      "é",
      "😀",
      "\uFEFF",
      "\0",
      "data: x\n",
      "[DONE]",
    ],
  );
  const stream = fc.array(piece, { maxLength: 60 }).map((pieces) => bytes(pieces.join("")));

  it("the chunks' boundaries make no difference", () => {
    fc.assert(
      fc.property(stream, places, fc.constantFrom(8, 1_000), (whole, at, limit) => {
        expect(read(cut(whole, at), limit)).toEqual(read([whole], limit));
        expect(read(crumbs(whole), limit)).toEqual(read([whole], limit));
      }),
    );
  });

  it("what was written is what is read, whatever the line ends", () => {
    const data = fc.string({ unit: "grapheme", maxLength: 20 }).map((value) => value.replace(/[\r\n]/g, "_"));
    const end = fc.constantFrom("\n", "\r", "\r\n");
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.array(data, { minLength: 1, maxLength: 3 }), end)),
        places,
        (written, at) => {
          const whole = written
            .map(([lines, e]) => lines.map((line) => `data: ${line}${e}`).join("") + e)
            .join("");
          expect(read(cut(bytes(whole), at)).events).toEqual(
            written.map(([lines]) => message(lines.join("\n"))),
          );
        },
      ),
    );
  });
});
