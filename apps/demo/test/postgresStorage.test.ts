import { createDatabase } from "@quota/local-postgres";
import { describeWithPostgres } from "@quota/local-postgres/vitest";
import fc from "fast-check";
import pino from "pino";
import { describe, expect, onTestFinished, test } from "vitest";
import { createSecretBox } from "../server/postgres/createSecretBox.js";
import { openPostgresStorage } from "../server/postgres/openPostgresStorage.js";
import { temporaryDirectory } from "./temporaryDirectory.js";

const keyOf = (fill: number) => Buffer.alloc(32, fill);
const SECRETS_KEY = keyOf(7).toString("base64");

describe("a sealed secret", () => {
  test("opens with its key in its place, whatever text it is", () => {
    const box = createSecretBox(keyOf(1));
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.string(), (text, place) => {
        // What is no text of UTF-8 is none to seal.
        const sealed = box.seal(text, place);
        expect(box.open(sealed, place)).toBe(Buffer.from(text).toString());
        expect(box.seal(text, place).equals(sealed)).toBe(false);
      }),
    );
  });

  test("does not open with another key, in another place, or with any bit of it changed", () => {
    const box = createSecretBox(keyOf(1));
    const sealed = box.seal("sk-secret", "connection a");
    expect(sealed.includes("sk-secret")).toBe(false);
    expect(() => createSecretBox(keyOf(2)).open(sealed, "connection a")).toThrow();
    expect(() => box.open(sealed, "connection b")).toThrow();
    for (let bit = 0; bit < sealed.length * 8; bit += 1) {
      const changed = Buffer.from(sealed);
      changed[bit >> 3]! ^= 1 << (bit & 7);
      expect(() => box.open(changed, "connection a")).toThrow();
    }
    expect(() => box.open(sealed.subarray(0, 20), "connection a")).toThrow("no sealed secret");
  });
});

describeWithPostgres("a gateway's storage in PostgreSQL", (serverUrl) => {
  async function begun() {
    const database = await createDatabase(serverUrl);
    onTestFinished(() => database.drop());
    const logged: string[] = [];
    const open = async (secretsKey = SECRETS_KEY) => {
      const storage = await openPostgresStorage({
        url: database.url,
        secretsKey,
        timeoutMs: 20_000,
        dataDir: temporaryDirectory(),
        logger: pino({ level: "warn" }, { write: (line) => void logged.push(line) }),
      });
      onTestFinished(() => storage.close());
      return storage;
    };
    return { database, logged, open };
  }

  const seat = { id: "seat", provider: "codex", baseUrl: "https://seat.example" } as const;
  const auth = { kind: "value", value: "sk-the-owners" } as const;

  test("does not begin without a server, and says so in a sentence without the password", async () => {
    const url = "postgres://quota:hunter2@127.0.0.1:1/quota";
    const opening = openPostgresStorage({
      url,
      secretsKey: SECRETS_KEY,
      dataDir: temporaryDirectory(),
      logger: pino({ level: "silent" }),
    });
    const said = await opening.catch((error: unknown) => error);
    expect(said).toMatchObject({
      name: "StartError",
      message: expect.stringMatching(/^QUOTA_DATABASE_URL: .*127\.0\.0\.1:1\/quota cannot be reached/u),
    });
    expect(String(said)).not.toContain("hunter2");
  });

  test("does not begin with another key than the first gateway's, whoever of two at once was the first", async () => {
    const { open } = await begun();
    const passphrase = "correct horse battery";
    const [one, two] = await Promise.all([open(passphrase), open(passphrase)]);
    await one.connections.create({ ...seat, auth }, 1);
    await two.forest.newest();
    expect(two.connections.authOf("seat")).toEqual(auth);
    await expect(open(SECRETS_KEY)).rejects.toMatchObject({
      name: "StartError",
      message: expect.stringContaining("QUOTA_SECRETS_KEY is not the key"),
    });
  });

  test("keeps no secret in the clear, and goes on without one that somebody has damaged", async () => {
    const { database, logged, open } = await begun();
    const one = await open();
    await one.connections.create({ ...seat, auth }, 1);
    await one.connections.create({ ...seat, id: "other", auth }, 2);
    await one.secretSettings.write("quotaStore.redisUrl", "redis://:hunter2@redis");
    expect(await one.secretSettings.read("quotaStore.redisUrl")).toBe("redis://:hunter2@redis");
    const rows = await database.query(
      "SELECT (SELECT string_agg(encode(secret, 'escape'), ' ') FROM gateway_connections) || (SELECT string_agg(encode(secret, 'escape'), ' ') FROM gateway_secrets) AS all",
    );
    expect(rows[0]!["all"]).toMatch(/\S/u);
    expect(rows[0]!["all"]).not.toMatch(/the-owners|hunter2/u);

    await database.query(
      "UPDATE gateway_connections SET secret = (SELECT secret FROM gateway_connections WHERE id = 'other') WHERE id = 'seat'",
    );
    const two = await open();
    expect(two.connections.authOf("seat")).toEqual({ kind: "none" });
    expect(two.connections.authOf("other")).toEqual(auth);
    expect(logged.join()).toContain("The stored secret of a connection does not open");
    expect(logged.join()).not.toContain("the-owners");
  });

  test("is read anew by a gateway that has missed more changes than deletions are told of, and after a restore", async () => {
    const { database, open } = await begun();
    const one = await open();
    const { secret } = (await one.keys.create({ id: "dora" }, 1))!;
    await one.keys.create({ id: "emil" }, 2);
    await database.query("DELETE FROM gateway_keys WHERE id = 'dora'");
    await database.query("UPDATE quota_revisions SET revision = revision + 20000 WHERE topic = 'gateway'");
    await one.forest.newest();
    expect(one.keys.list().map(({ id }) => id)).toEqual(["emil"]);
    expect(one.keys.ofSecret(secret)).toBeUndefined();

    await database.query("UPDATE gateway_keys SET name = 'of old', revision = 1");
    await database.query("UPDATE quota_revisions SET revision = 1 WHERE topic = 'gateway'");
    await one.forest.newest();
    expect(one.keys.get("emil")).toMatchObject({ name: "of old" });
    expect(await one.keys.update("emil", { name: "of today" })).toMatchObject({ name: "of today" });
  });

  test("takes changes of many gateways at once, one after the other", async () => {
    const { open } = await begun();
    const gateways = await Promise.all([open(), open(), open()]);
    await gateways[0].organisations.create({ id: "acme" }, 1);
    const made = await Promise.all(
      gateways.flatMap(({ keys, organisations }, g) => [
        ...[0, 1, 2].map((i) => keys.create({ id: `${g}-${i}`, orgId: "acme" }, 1)),
        organisations.update("acme", { rpm: g }),
      ]),
    );
    expect(made).toHaveLength(12);
    const forests = await Promise.all(gateways.map(({ forest }) => forest.newest()));
    for (const [g, { keys, organisations }] of gateways.entries()) {
      expect(new Set(keys.list().map(({ ordinal }) => ordinal))).toEqual(
        new Set([0, 1, 2, 3, 4, 5, 6, 7, 8]),
      );
      expect(organisations.get("acme")).toMatchObject({ version: 4 });
      // Every one of the 13 writes raised it.
      expect(forests[g]!.revision).toBe(13);
    }
  });

  test("hears of settings that another gateway changes", async () => {
    const { open } = await begun();
    const [one, two] = [await open(), await open()];
    const heard = new Promise<void>((resolve) => one.watch(async () => resolve()));
    await two.settings.set("demo.filledAt", "now");
    await heard;
    expect(await one.settings.get("demo.filledAt")).toBe("now");
    expect(one.shared).toEqual(two.shared);
  });
});
