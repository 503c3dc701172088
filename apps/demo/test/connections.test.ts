import { readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { SIMULATOR } from "../server/connections.js";
import { authHeaders, createUpstreamSecrets, type UpstreamAuth } from "../server/upstreamAuth.js";
import { describeEachDatabase } from "./describeEachDatabase.js";
import { openDatabase } from "./openDatabase.js";
import { openSqliteTables } from "./openTables.js";
import { temporaryDirectory } from "./temporaryDirectory.js";

const seat = { id: "seat", provider: "codex", baseUrl: "https://seat.example/backend" } as const;
const value = (secret: string): UpstreamAuth => ({ kind: "value", value: secret });

describeEachDatabase("a connection's secret", (open) => {
  test("is no part of what is shown, is replaced as a whole, seen by a second process, and goes with its connection", async () => {
    const { connections, another } = await open();
    const { connections: neighbour, tables } = await another();
    const created = await connections.create({ ...seat, auth: value("sk-one") }, 1);
    expect(JSON.stringify([created, connections.list()])).not.toContain("sk-one");
    await tables.catchUp();
    expect(neighbour.authOf("seat")).toEqual(value("sk-one"));
    await connections.update("seat", { auth: value("two") });
    expect(connections.authOf("seat")).toEqual(value("two"));
    await connections.update("seat", { provider: "openai" });
    await tables.catchUp();
    expect(neighbour.authOf("seat")).toEqual(value("two"));
    await connections.delete("seat");
    await tables.catchUp();
    for (const each of [connections, neighbour]) {
      expect(each.authOf("seat")).toEqual({ kind: "none" });
      expect(each.list()).toEqual([]);
    }
    await connections.create({ ...seat, auth: { kind: "none" } }, 2);
    expect(connections.authOf("seat")).toEqual({ kind: "none" });
  });

  test("may belong to any id", async () => {
    const { connections } = await open();
    for (const id of ["../../etc/passwd", "__proto__", "a/b", "."])
      await connections.create({ ...seat, id, auth: value(id) }, 1);
    expect(connections.authOf("../../etc/passwd")).toEqual(value("../../etc/passwd"));
    expect(connections.authOf("__proto__")).toEqual(value("__proto__"));
  });
});

describe("beside a file of SQLite, a connection's secret", () => {
  test("is in a file of its own that only the owner reads", async () => {
    const directory = temporaryDirectory();
    const secretsIn = join(directory, "secrets");
    const { connections } = await openSqliteTables(directory);
    await connections.create({ ...seat, id: "../../etc/passwd", auth: value("sk-the-owners") }, 1);
    const [file] = readdirSync(secretsIn);
    expect(file).toMatch(/^[0-9a-f]{32}\.json$/u);
    expect(statSync(join(secretsIn, file!)).mode & 0o777).toBe(0o600);
    expect(statSync(secretsIn).mode & 0o777).toBe(0o700);
    const db = await openDatabase(directory);
    db.connection.pragma("wal_checkpoint(TRUNCATE)");
    expect(readFileSync(db.file).includes("passwd")).toBe(true);
    expect(readFileSync(db.file).includes("sk-the-owners")).toBe(false);
    await connections.update("../../etc/passwd", { auth: value("two") });
    expect(readdirSync(secretsIn)).toHaveLength(1);
    await connections.delete("../../etc/passwd");
    expect(readdirSync(secretsIn)).toHaveLength(0);
  });
});

describeEachDatabase("a connection", (open) => {
  test("keeps what a change does not name, and gives up what it names as null", async () => {
    const { connections } = await open();
    await connections.create({ ...seat, models: ["a"], dialects: ["anthropic"], auth: { kind: "none" } }, 1);
    expect(await connections.update("seat", { baseUrl: "https://other.example" })).toMatchObject({
      provider: "codex",
      baseUrl: "https://other.example",
      models: ["a"],
      dialects: ["anthropic"],
    });
    expect(await connections.update("seat", { models: null, dialects: null })).toMatchObject({
      models: undefined,
      dialects: ["openai"],
    });
    expect(await connections.update("nobody", {})).toBeUndefined();
  });

  test("to the simulator names no port: every process has its own", async () => {
    const { connections, tables } = await open();
    await connections.create({ ...seat, baseUrl: SIMULATOR, auth: { kind: "none" } }, 1);
    expect(connections.get("seat")?.baseUrl).toBe(SIMULATOR);
    expect(tables.rows.connections.get("seat")?.baseUrl).toBeNull();
  });
});

describe("a secret is had", () => {
  test("from a file, again as soon as it changes", async () => {
    const file = join(temporaryDirectory(), "token");
    const secrets = createUpstreamSecrets();
    const auth: UpstreamAuth = { kind: "file", path: file };
    await expect(secrets.secretOf("seat", auth)).rejects.toThrow("ENOENT");
    writeFileSync(file, "first\n");
    expect(await secrets.secretOf("seat", auth)).toBe("first");
    writeFileSync(file, "other\n");
    utimesSync(file, 1_000, 1_000);
    expect(await secrets.secretOf("seat", auth)).toBe("other");
    writeFileSync(file, "  \n");
    await expect(secrets.secretOf("seat", auth)).rejects.toThrow("no secret");
    writeFileSync(file, "a\nhost: evil\n");
    await expect(secrets.secretOf("seat", auth)).rejects.toThrow("more than one line");
    writeFileSync(file, "no header has ☃\n");
    await expect(secrets.secretOf("seat", auth)).rejects.toThrow("fits a header");
  });

  const counter = (directory: string, print: string): UpstreamAuth => ({
    kind: "command",
    command: [
      process.execPath,
      "-e",
      `const { appendFileSync, readFileSync } = require("node:fs"); const f = process.argv[1];
       appendFileSync(f, "x"); const n = readFileSync(f, "utf8").length; process.stdout.write(${print});`,
      join(directory, "runs"),
    ],
  });

  test("from a command, which many requests wait for together and whose answer is kept until it is stale", async () => {
    let now = 0;
    const secrets = createUpstreamSecrets({ now: () => now });
    const auth = counter(temporaryDirectory(), '"token-" + n');
    const together = await Promise.all([1, 2, 3].map(() => secrets.secretOf("seat", auth)));
    expect(together).toEqual(["token-1", "token-1", "token-1"]);
    now = 59_999;
    expect(await secrets.secretOf("seat", auth)).toBe("token-1");
    now = 60_000;
    expect(await secrets.secretOf("seat", auth)).toBe("token-2");
    secrets.forget("seat");
    expect(await secrets.secretOf("seat", auth)).toBe("token-3");
  });

  test("from a command that says when its token expires, a minute before that again", async () => {
    let now = 0;
    const secrets = createUpstreamSecrets({ now: () => now });
    const auth = counter(temporaryDirectory(), 'JSON.stringify({ token: "t" + n, expiresAt: 3600 })');
    expect(await secrets.secretOf("seat", auth)).toBe("t1");
    now = 3_539_999;
    expect(await secrets.secretOf("seat", auth)).toBe("t1");
    now = 3_540_000;
    expect(await secrets.secretOf("seat", auth)).toBe("t2");
  });

  test("from no command that fails or prints what is no secret, and the error keeps what it printed to itself", async () => {
    const secrets = createUpstreamSecrets();
    const printing = (script: string): UpstreamAuth => ({
      kind: "command",
      command: [process.execPath, "-e", script],
    });
    const failure = async (auth: UpstreamAuth) =>
      await secrets.secretOf("seat", auth).then(String, (error: unknown) => (error as Error).message);
    expect(await failure(printing('process.stdout.write("hunter2"); process.exit(3)'))).toMatch(
      /failed \(3\)$/u,
    );
    expect(await failure(printing('process.stdout.write("{hunter2")'))).not.toContain("hunter2");
    expect(await failure(printing(""))).toContain("no secret");
    expect(await failure({ kind: "command", command: ["/no/such/program; echo hunter2"] })).toContain(
      "ENOENT",
    );
  });

  test("and goes where the provider looks for it", () => {
    const shown = (provider: string, auth: UpstreamAuth, secret: string) =>
      authHeaders({ auth, provider, secret });
    expect(shown("openai", value("sk-1"), "sk-1")).toEqual([["authorization", "Bearer sk-1"]]);
    expect(shown("openai", value("Basic abc"), "Basic abc")).toEqual([["authorization", "Basic abc"]]);
    expect(shown("anthropic", value("sk-1"), "sk-1")).toEqual([["x-api-key", "sk-1"]]);
    expect(shown("anthropic", { ...value("t"), header: "Authorization" } as UpstreamAuth, "t")).toEqual([
      ["authorization", "Bearer t"],
    ]);
    expect(
      shown("codex", { ...value("t"), headers: { "ChatGPT-Account-Id": "acc" } } as UpstreamAuth, "t"),
    ).toEqual([
      ["chatgpt-account-id", "acc"],
      ["authorization", "Bearer t"],
    ]);
  });
});
