import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { startTestGateway } from "../test/startTestGateway.js";
import { temporaryDirectory } from "../test/temporaryDirectory.js";

async function json(answer: Promise<Response>): Promise<{ readonly status: number; readonly body: unknown }> {
  const { status, ...rest } = await answer.then(async (each) => ({
    status: each.status,
    text: await each.text(),
  }));
  return { status, body: rest.text === "" ? undefined : JSON.parse(rest.text) };
}

describe("the admin API", () => {
  test("is closed to whoever does not bear the token, on every path below /api", async () => {
    const gateway = await startTestGateway();
    for (const path of [
      "/api/connections",
      "/api/keys",
      "/api/backup",
      "/api/quota/pools",
      "/api/anything",
    ]) {
      // Something right before: five wrong tokens slow down what comes after.
      await gateway.admin("GET", "/api/keys");
      for (const authorization of [
        undefined,
        "Bearer wrong",
        "Bearer sk-demo-alice",
        "Basic eDp5",
        "Bearer ",
      ]) {
        const answer = await fetch(
          gateway.url + path,
          authorization === undefined ? {} : { headers: { authorization } },
        );
        expect(answer.status).toBe(401);
        expect(answer.headers.get("content-type")).toContain("application/problem+json");
      }
    }
  });

  test("says all that is wrong with a body at once, and writes nothing", async () => {
    const gateway = await startTestGateway();
    const before = await json(gateway.admin("GET", "/api/connections"));
    const { status, body } = await json(
      gateway.admin("POST", "/api/connections", {
        id: "",
        provider: 7,
        baseUrl: "https://user:hunter2@example.com",
        models: [],
        auth: { kind: "value", value: "two\nlines" },
        extra: true,
      }),
    );
    expect(status).toBe(400);
    const { errors } = body as { errors: { path: string; message: string }[] };
    const paths = errors.map(({ path }) => path);
    for (const path of ["id", "provider", "baseUrl", "models", "auth.value"]) expect(paths).toContain(path);
    expect(JSON.stringify(body)).toContain("extra");
    expect(JSON.stringify(body)).not.toContain("hunter2");
    expect(await json(gateway.admin("GET", "/api/connections"))).toEqual(before);
  });

  test("answers 400 to broken JSON and 413 to a body that is too large, both as problems", async () => {
    const gateway = await startTestGateway();
    const headers = {
      authorization: "Bearer the-admin-token-of-the-tests",
      "content-type": "application/json",
    };
    for (const [body, status] of [
      ["{", 400],
      ['"text"', 400],
      [JSON.stringify({ name: "x".repeat(2_000_000) }), 413],
    ] as const) {
      const answer = await fetch(`${gateway.url}/api/keys`, { method: "POST", headers, body });
      expect(answer.status).toBe(status);
      expect(await answer.json()).toMatchObject({ status });
    }
    expect((await gateway.admin("GET", "/api/nothing")).status).toBe(404);
    expect((await gateway.admin("PATCH", "/api/connections/nobody", {})).status).toBe(404);
    expect((await gateway.admin("GET", "/api/keys/%E0%A4%A")).status).toBe(400);
  });

  test("says of every fault what is wrong with what, in a sentence", async () => {
    const gateway = await startTestGateway();
    const connection = { id: "seat", provider: "openai", baseUrl: "https://h" };
    for (const [body, path, message] of [
      [{ ...connection, id: ".." }, "id", "id must not be . or .., which no URL can name."],
      [{ ...connection, baseUrl: "h" }, "baseUrl", "baseUrl must be an address such as https://"],
      [{ ...connection, extra: 1 }, "extra", "extra is not known here;"],
      [{ ...connection, models: [7] }, "models[0]", "models[0] must be a text."],
      [{ ...connection, auth: { kind: "value" } }, "auth.value", "auth.value must be a text."],
      [
        { ...connection, auth: { kind: "command", command: [""] } },
        "auth.command",
        "auth.command must name a program.",
      ],
      // These would break every request, or hide what it cost.
      ...["Upgrade", "keep-alive", "Accept-Encoding"].map(
        (name) =>
          [
            { ...connection, auth: { kind: "value", value: "s", headers: { [name]: "x" } } },
            `auth.headers.${name}`,
            `auth.headers.${name} is no header for a secret.`,
          ] as const,
      ),
      [null, "", "The body is wrong."],
    ] as const) {
      const { status, body: problem } = await json(gateway.admin("POST", "/api/connections", body));
      expect(status).toBe(400);
      const { detail, errors } = problem as { detail: string; errors: { path: string; message: string }[] };
      expect(errors).toEqual([{ path, message: expect.stringContaining(message) }]);
      expect(detail).toBe(errors[0]!.message);
    }
    expect((await gateway.admin("GET", "/api/connections/seat")).status).toBe(404);
  });

  test("makes no key of null, and knows a charset that it does not know", async () => {
    const gateway = await startTestGateway();
    expect((await gateway.admin("POST", "/api/keys", null)).status).toBe(400);
    const type = { "content-type": "application/json; charset=nonsense" };
    for (const path of ["/api/keys", "/api/quota/pools"])
      expect(await json(gateway.admin("POST", path, { id: "dora" }, type))).toMatchObject({
        status: 415,
        body: { status: 415 },
      });
    expect((await gateway.admin("GET", "/api/keys")).status).toBe(200);
    expect(((await json(gateway.admin("GET", "/api/keys"))).body as unknown[]).length).toBe(3);
  });

  test("makes, changes and deletes connections, and never gives a secret back", async () => {
    const gateway = await startTestGateway();
    const made = await json(
      gateway.admin("POST", "/api/connections", {
        id: "seat",
        provider: "codex",
        baseUrl: "https://seat.example/backend/codex",
        auth: { kind: "value", value: "sk-the-owners" },
      }),
    );
    expect(made).toMatchObject({ status: 201, body: { id: "seat", dialects: ["openai"] } });
    expect(
      await json(
        gateway.admin("POST", "/api/connections", { id: "seat", provider: "x", baseUrl: "http://h" }),
      ),
    ).toMatchObject({
      status: 409,
    });
    const changed = await json(
      gateway.admin("PATCH", "/api/connections/seat", {
        models: ["gpt"],
        auth: { kind: "value", value: "sk-new" },
      }),
    );
    expect(changed).toMatchObject({ status: 200, body: { models: ["gpt"], provider: "codex" } });
    const edit = (version: string) =>
      gateway.admin("PATCH", "/api/connections/seat", { provider: "openai" }, { "if-match": version });
    expect([(await edit('"1"')).status, (await edit("one")).status, (await edit('"2"')).status]).toEqual([
      412, 400, 200,
    ]);
    const shown = [made, changed, await json(gateway.admin("GET", "/api/connections"))];
    expect(JSON.stringify(shown)).not.toMatch(/sk-the-owners|sk-new|sk-simulated/u);
    expect(gateway.logged.join("")).not.toMatch(/sk-the-owners|sk-new|sk-simulated/u);
    expect(await json(gateway.admin("DELETE", "/api/connections/seat"))).toMatchObject({ status: 204 });
    expect((await gateway.admin("GET", "/api/connections/seat")).status).toBe(404);
  });

  test("makes a key that works at once, shows its secret once, and can rotate, disable, enable and delete it", async () => {
    const gateway = await startTestGateway();
    const made = await json(gateway.admin("POST", "/api/keys", { id: "dora", name: "Dora" }));
    const { secret } = made.body as { secret: string };
    const works = async (key: string) => (await gateway.ask(key)).status;
    expect(made.status).toBe(201);
    expect(await works(secret)).toBe(200);
    expect(JSON.stringify((await json(gateway.admin("GET", "/api/keys"))).body)).not.toContain(secret);

    const { secret: second } = (await json(gateway.admin("POST", "/api/keys/dora/rotate"))).body as {
      secret: string;
    };
    expect([await works(secret), await works(second)]).toEqual([401, 200]);
    expect(await json(gateway.admin("POST", "/api/keys/dora/disable"))).toMatchObject({
      body: { disabled: true },
    });
    expect(await works(second)).toBe(401);
    await gateway.admin("POST", "/api/keys/dora/enable");
    expect(await works(second)).toBe(200);
    expect((await gateway.admin("DELETE", "/api/keys/dora")).status).toBe(204);
    expect(await works(second)).toBe(401);
    for (const path of ["rotate", "disable", "enable"])
      expect((await gateway.admin("POST", `/api/keys/dora/${path}`)).status).toBe(404);
    const unnamed = (await json(gateway.admin("POST", "/api/keys", {}))).body as {
      id: string;
      secret: string;
    };
    expect(unnamed.id).toMatch(/^key_/u);
    expect(await works(unnamed.secret)).toBe(200);
  });

  test("gives a backup that a new gateway starts from", async () => {
    const gateway = await startTestGateway();
    await (await gateway.ask("alice")).text();
    await gateway.quiet();
    const answer = await gateway.admin("GET", "/api/backup");
    expect(answer.status).toBe(200);
    const dataDir = temporaryDirectory();
    writeFileSync(join(dataDir, "storage.sqlite"), Buffer.from(await answer.arrayBuffer()));
    const restored = await startTestGateway({ dataDir });
    expect((await restored.usage()).dimensions[0]).toMatchObject({ consumedTotal: 1 });
    expect((await restored.ask("alice")).status).toBe(200);
  });

  test("adds a colleague in one call, and refuses an edit of what has changed since", async () => {
    const gateway = await startTestGateway();
    const pool = await gateway.poolOf("kimi-demo");
    await gateway.admin("POST", "/api/keys", { id: "dora" });
    const added = await json(
      gateway.admin("POST", `/api/quota/pools/${pool.id}/allocations`, {
        apiKeyId: "dora",
        weight: 20,
        rebalance: "proportional",
      }),
    );
    expect(added.body).toMatchObject({
      allocations: [
        { apiKeyId: "alice", weight: 40 },
        { apiKeyId: "bob", weight: 24 },
        { apiKeyId: "carol", weight: 16 },
        { apiKeyId: "dora", weight: 20 },
      ],
    });
    const stale = { "if-match": `"${pool.version}"` };
    const path = `/api/quota/pools/${pool.id}`;
    expect((await gateway.admin("PATCH", path, { name: "Late" }, stale)).status).toBe(412);
    const preview = await json(
      gateway.admin("GET", `/api/quota/preview?poolId=${pool.id}&apiKeyId=dora&estimatedRequests=1`),
    );
    expect(preview).toMatchObject({ status: 200, body: { allowed: true } });
  });
});

test("deleting a pool with requests in flight works; they settle nowhere, and a new pool starts at zero", async () => {
  const gateway = await startTestGateway();
  await gateway.plan([{ unit: "requests", window: "hourly", limit: 100 }]);
  gateway.provider.configure({ pause: "before-answer" });
  const asked = [1, 2, 3, 4, 5].map(async () => (await gateway.ask("alice")).status);
  await gateway.provider.until((state) => state.pausedAnswers === 5);
  const pool = await gateway.poolOf("kimi-demo");
  expect((await gateway.admin("DELETE", `/api/quota/pools/${pool.id}`)).status).toBe(204);
  gateway.provider.configure({ pause: "none" });
  expect(await Promise.all(asked)).toEqual([200, 200, 200, 200, 200]);
  await gateway.quiet();
  expect(await gateway.poolOf("kimi-demo")).toBeUndefined();
  const again = {
    id: pool.id,
    connectionId: "kimi-demo",
    name: "Demo team",
    allocations: [{ apiKeyId: "alice", weight: 50 }],
  };
  expect((await gateway.admin("POST", "/api/quota/pools", again)).status).toBe(201);
  expect((await gateway.usage()).dimensions[0]).toMatchObject({ consumedTotal: 0, held: 0 });
});

describe("whoever watches", () => {
  test("reads how it is, and Prometheus text without a key's name", async () => {
    const gateway = await startTestGateway();
    await gateway.plan([{ unit: "requests", window: "hourly", limit: 2 }]);
    for (let i = 0; i < 2; i += 1) {
      await (await gateway.ask("alice")).text();
      await gateway.quiet();
    }
    const health = await fetch(`${gateway.url}/healthz`);
    expect([health.status, await health.json()]).toMatchObject([
      200,
      {
        status: "ok",
        reasons: [],
        openLeases: 0,
        store: { driver: "sqlite", serving: "sqlite", state: "ok" },
      },
    ]);
    const metrics = await (await fetch(`${gateway.url}/metrics`)).text();
    expect(metrics).toContain('quota_decisions_total{outcome="allowed",reason="none"} 1');
    expect(metrics).toContain('quota_decisions_total{outcome="refused",reason="fair-share"} 1');
    for (const name of ["quota_unjudged_total 0", "quota_open_leases 0", "quota_store_errors_total 0"])
      expect(metrics).toContain(name);
    for (const name of ["quota_admission_seconds_count 2", "quota_settle_seconds_count 1"])
      expect(metrics).toContain(name);
    expect(metrics).not.toMatch(/alice|kimi-demo/u);
  });
});

test("the metrics count a request once, by what it was told, however often it was asked about while it waited", async () => {
  const gateway = await startTestGateway({ settings: { waitUpToMs: 600_000 } });
  await gateway.plan([{ unit: "requests", window: "monthly", limit: 2 }]);
  gateway.provider.configure({ pause: "before-answer" });
  const metrics = async () => await (await fetch(`${gateway.url}/metrics`)).text();
  const first = gateway.ask("alice");
  await gateway.provider.until((state) => state.pausedAnswers === 1);
  const waiting = [gateway.ask("alice"), gateway.ask("alice")];
  while (!(await metrics()).includes("quota_waiting_requests 2"));
  gateway.provider.configure({ pause: "none" });
  expect((await Promise.all([first, ...waiting])).map(({ status }) => status)).toEqual([200, 429, 429]);
  const counted = (await metrics()).split("\n").filter((line) => line.startsWith("quota_decisions_total"));
  expect(counted.sort()).toEqual([
    'quota_decisions_total{outcome="allowed",reason="none"} 1',
    'quota_decisions_total{outcome="refused",reason="fair-share"} 2',
  ]);
});

test("nothing in the data directory but the database and the secrets holds a thing", async () => {
  const dataDir = temporaryDirectory();
  const gateway = await startTestGateway({ dataDir });
  await (await gateway.ask("alice")).text();
  await gateway.stop(0);
  expect(readdirSync(dataDir).sort()).toEqual(["gateways", "secrets", "storage.sqlite"]);
  expect(readdirSync(join(dataDir, "gateways"))).toEqual([]);
  expect(existsSync(join(dataDir, "admin-token"))).toBe(false);
});
