import { describe, expect, test } from "vitest";
import { chooseConnection } from "../server/chooseConnection.js";
import type { Connection } from "../server/connections.js";

const connection = (id: string, more: Partial<Connection> = {}): Connection => ({
  id,
  provider: "kimi",
  baseUrl: "https://example.com",
  models: undefined,
  dialects: ["openai", "anthropic"],
  prices: [],
  version: 1,
  createdAt: "2026-01-01T00:00:00.000Z",
  ...more,
});

const seat = connection("seat", { dialects: ["openai"], models: ["gpt-a", "gpt-b"] });
const claude = connection("claude", { dialects: ["anthropic"] });
const kimi = connection("kimi");

function choose(asked: Partial<Parameters<typeof chooseConnection>[0]> & { readonly allocated?: string[] }) {
  const { allocated = [], ...rest } = asked;
  const choice = chooseConnection({
    connections: [seat, claude, kimi],
    named: undefined,
    dialect: "openai",
    model: "gpt-a",
    isAllocated: (id) => allocated.includes(id),
    ...rest,
  });
  return "connection" in choice ? choice.connection.id : `${choice.status} ${choice.code} ${choice.message}`;
}

describe("a request goes", () => {
  test("to the connection it names, whatever else would do", () => {
    expect(choose({ named: "kimi", allocated: ["seat"] })).toBe("kimi");
  });
  test("to the connection it names in any script, as its header arrives", () => {
    const named = Buffer.from("sitz ☃").toString("latin1");
    expect(choose({ connections: [kimi, connection("sitz ☃")], named })).toBe("sitz ☃");
    expect(choose({ connections: [kimi, connection("möbel")], named: "möbel" })).toBe("möbel");
  });
  test("to the only one that serves its dialect and model", () => {
    expect(choose({ connections: [seat, claude] })).toBe("seat");
    expect(choose({ dialect: "anthropic", connections: [seat, claude] })).toBe("claude");
  });
  test("to the only one of several where its key is allocated", () => {
    expect(choose({ allocated: ["seat"] })).toBe("seat");
    expect(choose({ allocated: ["kimi", "claude"] })).toBe("kimi");
  });
  test("to the one of several that lists its model, before those that serve every model", () => {
    expect(choose({})).toBe("seat");
    expect(choose({ allocated: ["seat", "kimi"] })).toBe("seat");
    expect(choose({ model: "k2", allocated: ["seat", "kimi"] })).toBe("kimi");
    expect(choose({ allocated: ["kimi"] })).toBe("kimi");
  });
  test("to the one of several that serves every model, where it names none", () => {
    expect(choose({ model: undefined })).toBe("kimi");
    expect(choose({ connections: [seat], model: undefined })).toBe("seat");
  });
  test("past an allocation on a connection that does not serve its model", () => {
    expect(choose({ model: "k2", allocated: ["seat"] })).toBe("kimi");
  });
});

describe("a request is told", () => {
  test("which connections it may name, where several are as good", () => {
    const connections = [seat, claude, kimi, connection("other")];
    expect(choose({ connections, model: "k2" })).toMatch(/^400 ambiguous_connection .*kimi, other/u);
    expect(choose({ connections, model: "k2", allocated: ["seat", "kimi", "claude", "other"] })).toMatch(
      /^400 ambiguous_connection .*kimi, other/u,
    );
    expect(choose({ connections: [seat, { ...seat, id: "seat 2" }], model: undefined })).toMatch(
      /^400 ambiguous_connection .*seat, seat 2/u,
    );
  });
  test("that there is no such connection, without the length of what it sent", () => {
    const told = choose({ named: "x".repeat(1_000_000) });
    expect(told).toMatch(/^404 unknown_connection/u);
    expect(told.length).toBeLessThan(300);
    expect(choose({ named: "__proto__" })).toMatch(/^404/u);
  });
  test("that the connection it names speaks another dialect", () => {
    expect(choose({ named: "claude" })).toMatch(/^400 unsupported_dialect .*anthropic/u);
  });
  test("that nobody serves its model, or its route", () => {
    expect(choose({ connections: [seat], model: "k2" })).toMatch(/^404 model_not_found/u);
    expect(choose({ connections: [] })).toMatch(/^404 unsupported_dialect/u);
  });
});
