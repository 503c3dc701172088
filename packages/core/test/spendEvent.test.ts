import { MAX_ID_LENGTH, parseSpendEvent } from "@quota/core";
import { describe, expect, test } from "vitest";

const event = {
  requestId: "r1",
  subjects: [{ kind: "key", id: "alice" }],
  cost: 5,
  endedAt: 0,
  outcome: "answered",
} as const;

describe.each(["provider", "connectionId", "model"])("the %s of an event", (name) => {
  test.each([
    ["may be left out", undefined],
    ["may be empty", ""],
    ["is any text", "\u0000 {x} 🔑"],
    ["is as long as an id may be", "x".repeat(MAX_ID_LENGTH)],
  ])("%s", (_sentence, text) => {
    expect(parseSpendEvent({ ...event, [name]: text })).toMatchObject({ ok: true });
  });

  test.each([
    ["is not longer than an id", "x".repeat(MAX_ID_LENGTH + 1), "id-too-long", /at most 256/],
    ["is well-formed", "a\ud83d", "id-malformed", /lone surrogate/],
    ["is a text", 7, "not-a-text", /leave it out/],
  ])("%s", (_sentence, text, code, message) => {
    expect(parseSpendEvent({ ...event, [name]: text })).toMatchObject({
      ok: false,
      faults: [{ path: name, code, message: expect.stringMatching(message) as unknown }],
    });
  });
});
