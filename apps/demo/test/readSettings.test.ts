import { describe, expect, test } from "vitest";
import { readSettings } from "../server/readSettings.js";
import { StartError } from "../server/startError.js";

describe("the settings", () => {
  test("an empty environment, and empty variables, give the documented defaults", () => {
    const defaults = readSettings({});
    expect(defaults).toMatchObject({
      host: "127.0.0.1",
      port: 8787,
      dataDir: ".data",
      databaseUrl: undefined,
      secretsKey: undefined,
      storeDriver: undefined,
      storeRedisUrl: undefined,
      saturationThreshold: undefined,
      softDeprioritizeFactor: undefined,
      consumptionRetentionDays: undefined,
      spendQueue: undefined,
      spendRetentionDays: 90,
      leaseMs: 600_000,
      replicas: 1,
      whenStoreFails: "allow",
      shutdownGraceMs: 600_000,
      bodyLimitBytes: 20_971_520,
      waitUpToMs: 10_000,
      upstream: undefined,
      adminToken: undefined,
    });
    expect(readSettings({ PORT: "", DATA_DIR: " ", QUOTA_LEASE_MS: "" })).toEqual(defaults);
  });

  test("names of a proxy are a list, in lower case; addresses may be among them", () => {
    const { publicHosts } = readSettings({
      QUOTA_PUBLIC_HOSTS: " Quota.Example.com, 192.0.2.7,[2001:db8::1] ,,",
    });
    expect(publicHosts).toEqual(["quota.example.com", "192.0.2.7", "[2001:db8::1]"]);
    expect(readSettings({}).publicHosts).toEqual([]);
  });

  test.each([
    ["PORT", "70000"],
    ["PORT", "80.5"],
    ["PORT", "-1"],
    ["PORT", "http"],
    ["PORT", "NaN"],
    ["QUOTA_SATURATION_THRESHOLD", "1.01"],
    ["QUOTA_SATURATION_THRESHOLD", "50%"],
    ["QUOTA_SOFT_DEPRIORITIZE_FACTOR", "-0.1"],
    ["QUOTA_CONSUMPTION_RETENTION_DAYS", "forever"],
    ["QUOTA_SPEND_QUEUE", "postgres"],
    ["QUOTA_SPEND_RETENTION_DAYS", "0"],
    ["QUOTA_LEASE_MS", "Infinity"],
    ["QUOTA_REPLICAS", "0"],
    ["QUOTA_STORE_DRIVER", "postgres"],
    ["QUOTA_DATABASE_URL", "mysql://localhost/quota"],
    ["QUOTA_DATABASE_URL", "localhost:5432"],
    ["QUOTA_STORE_REDIS_URL", "localhost:6379"],
    ["QUOTA_STORE_REDIS_URL", "http://localhost:6379"],
    ["QUOTA_STORE_REDIS_URL", "redis://localhost/words"],
    ["QUOTA_STORE_REDIS_URL", "redis://:pass#word@localhost"],
    ["QUOTA_WHEN_STORE_FAILS", "pray"],
    ["QUOTA_WHEN_STORE_FAILS", "budget:2"],
    ["QUOTA_WHEN_STORE_FAILS", "budget:some"],
    ["SHUTDOWN_GRACE_S", "-5"],
    ["LOG_LEVEL", "loud"],
    ["UPSTREAM_BASE_URL", "ftp://example.com"],
    ["UPSTREAM_BASE_URL", "https://user:secret@example.com"],
    ["UPSTREAM_BASE_URL", "not an address"],
    ["UPSTREAM_API_KEY", "sk-without-an-upstream"],
    ["UPSTREAM_PROVIDER", "kimi"],
    ["QUOTA_ADMIN_TOKEN", "two words"],
    ["QUOTA_PUBLIC_HOSTS", "https://quota.example.com"],
    ["QUOTA_PUBLIC_HOSTS", "quota.example.com:8443"],
    ["QUOTA_PUBLIC_HOSTS", "*.example.com"],
    ["QUOTA_PUBLIC_HOSTS", "quota.example.com evil.example"],
    ["QUOTA_PUBLIC_HOSTS", "fine.example,-"],
    ["QUOTA_ADMIN_TOKEN", "clé"],
  ])("%s=%s stops the start with a sentence that names the variable", (name, value) => {
    expect(() => readSettings({ [name]: value })).toThrow(StartError);
    expect(() => readSettings({ [name]: value })).toThrow(name);
  });

  test("a database needs a key for the secrets in it, and neither is repeated", () => {
    const url = "postgres://quota:hunter2@db.internal/quota";
    const key = Buffer.alloc(32, 1).toString("base64");
    const read = (secretsKey?: string, databaseUrl = url) =>
      readSettings({
        QUOTA_DATABASE_URL: databaseUrl,
        ...(secretsKey !== undefined && { QUOTA_SECRETS_KEY: secretsKey }),
      });
    expect(read(key)).toMatchObject({ databaseUrl: url, secretsKey: key });
    expect(read("a passphrase of words").secretsKey).toBe("a passphrase of words");
    expect(() => read()).toThrow(/needs QUOTA_SECRETS_KEY.*openssl rand/u);
    expect(() => read("hunter2")).toThrow(/QUOTA_SECRETS_KEY must be 32 bytes/u);
    expect(() => read()).not.toThrow("hunter2");
    expect(() => read("hunter2")).not.toThrow("hunter2");
    expect(() => read(key, "mysql://quota:hunter2@db.internal/quota")).not.toThrow("hunter2");
  });

  test("what happens while the store is away is a word, or a budget", () => {
    const policy = (text: string) => readSettings({ QUOTA_WHEN_STORE_FAILS: text }).whenStoreFails;
    expect([policy("last-known"), policy("budget:0.01")]).toEqual(["last-known", { budget: 0.01 }]);
  });

  test("every wrong variable is named at once, and credentials in an address are not repeated", () => {
    const read = () =>
      readSettings({ PORT: "x", QUOTA_REPLICAS: "y", UPSTREAM_BASE_URL: "https://u:hunter2@h" });
    expect(read).toThrow(/PORT[^\n]*\n[^]*QUOTA_REPLICAS|UPSTREAM_BASE_URL/u);
    expect(read).not.toThrow("hunter2");
  });

  test("a key that fits no header is not taken, and not repeated", () => {
    for (const key of ["sk-hunter2\nx", "sk-hunter2☃"]) {
      const read = () => readSettings({ UPSTREAM_BASE_URL: "https://h", UPSTREAM_API_KEY: key });
      expect(read).toThrow("UPSTREAM_API_KEY");
      expect(read).not.toThrow("hunter2");
    }
    expect(() => readSettings({ UPSTREAM_BASE_URL: "https://h", UPSTREAM_PROVIDER: "x".repeat(65) })).toThrow(
      "UPSTREAM_PROVIDER",
    );
  });

  test("an upstream key without an upstream is a mistake; an upstream without a provider is openai's kind", () => {
    expect(() => readSettings({ UPSTREAM_API_KEY: "sk-owner" })).toThrow("UPSTREAM_BASE_URL");
    expect(readSettings({ UPSTREAM_BASE_URL: "https://api.example.com/v1" }).upstream).toEqual({
      baseUrl: "https://api.example.com/v1",
      apiKey: undefined,
      provider: "openai",
    });
  });
});
