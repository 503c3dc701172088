import { describe, expect, it, test } from "vitest";
import { idFault, MAX_ID_LENGTH } from "@quota/core";

describe("any text is an id", () => {
  test.each([
    "alice",
    "__proto__",
    "constructor",
    "toString",
    "hasOwnProperty",
    "a|b",
    "a:b",
    "{x}",
    "%7c",
    "2001:db8::1",
    " ",
    "ключ",
    "🔑",
    "a\u0000b",
    "x".repeat(MAX_ID_LENGTH),
  ])("%j", (id) => {
    expect(idFault(id, "apiKeyId")).toBeUndefined();
  });
});

describe("what is not an id is named, with the remedy", () => {
  const rows: readonly (readonly [string, unknown, string])[] = [
    ["nothing", undefined, "id-missing"],
    ["null", null, "id-missing"],
    ["an empty text", "", "id-missing"],
    ["a number", 7, "id-missing"],
    ["an object", {}, "id-missing"],
    ["one character too many", "x".repeat(MAX_ID_LENGTH + 1), "id-too-long"],
    ["a megabyte", "x".repeat(1_000_000), "id-too-long"],
    ["a lone high surrogate", "a\ud83db", "id-malformed"],
    ["a lone low surrogate", "\udd11", "id-malformed"],
    ["a pair the wrong way round", "\udd11\ud83d", "id-malformed"],
  ];
  test.each(rows)("%s", (_sentence, id, code) => {
    expect(idFault(id, "apiKeyId")).toMatchObject({ path: "apiKeyId", code });
  });

  it("does not repeat a megabyte in the message", () => {
    expect(idFault("x".repeat(1_000_000), "apiKeyId")?.message.length).toBeLessThan(200);
  });
});
