import { Readable } from "node:stream";
import { describe, expect, test } from "vitest";
import { jsonWithin } from "../server/jsonWithin.js";

describe("The JSON of a small body", () => {
  const bodies: [sentence: string, chunks: readonly string[], value: unknown][] = [
    ["is read from however many pieces", ['{"er', 'ror":"é', '"}'], { error: "é" }],
    ["may be as long as the limit", ['"456', '8"'], "4568"],
    ["is not there where it is longer", ['"456', '78"'], undefined],
    ["is not there where it is no JSON", ["<html>"], undefined],
    ["is not there where there is nothing", [], undefined],
  ];
  test.each(bodies)("%s", async (_sentence, chunks, value) => {
    const limit = value === undefined || typeof value === "string" ? 6 : 100;
    const body = Readable.from(chunks.map((chunk) => Buffer.from(chunk)));
    expect(await jsonWithin(body, limit)).toEqual(value);
    expect(body.destroyed).toBe(true);
  });

  test("is not waited for past the limit, however much would come", async () => {
    let sent = 0;
    const endless = new Readable({
      highWaterMark: 1,
      read() {
        sent += 1;
        this.push(Buffer.alloc(1_000, "1"));
      },
    });
    expect(await jsonWithin(endless, 10_000)).toBeUndefined();
    expect(endless.destroyed).toBe(true);
    expect(sent).toBeLessThan(20);
  });

  test("is not there where the body breaks off", async () => {
    const broken = new Readable({
      read() {
        this.destroy(new Error("reset"));
      },
    });
    expect(await jsonWithin(broken, 10)).toBeUndefined();
  });
});
