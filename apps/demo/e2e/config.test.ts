import { describe, expect, test } from "vitest";
import type { GatewayConfig } from "../server/config/gatewayConfig.js";
import { configHashes } from "../server/config/configHashes.js";
import { startTestGateway, type TestGateway } from "../test/startTestGateway.js";

async function configOf(gateway: TestGateway): Promise<GatewayConfig> {
  return (await (await gateway.admin("GET", "/api/config")).json()) as GatewayConfig;
}

/** A pool's lending, all that can be said of it. */
const LENT = {
  lending: { rule: "reserve", curve: { hold: 2 } },
  shadow: "static",
  allocations: [
    {
      ...{ apiKeyId: "bob", weight: 50, policy: "hard", capValue: 5, capUnit: "usd", capWindow: "weekly" },
      borrowingLimit: 12.5,
    },
    { apiKeyId: "carol", weight: 20, policy: "soft", lend: false },
    { apiKeyId: "alice", weight: 10, policy: "burst", lendingLimit: 2.5 },
  ],
};

/** A gateway with something of everything. */
async function furnished(): Promise<TestGateway> {
  const gateway = await startTestGateway();
  await gateway.admin("POST", "/api/orgs", { id: "acme", rpm: 1000 });
  await gateway.admin("POST", "/api/teams", { id: "core", orgId: "acme", tpm: 0 });
  await gateway.admin("PATCH", "/api/keys/alice", { teamId: "core", rpm: 7 });
  await gateway.admin("POST", "/api/connections", {
    id: "glm",
    provider: "glm",
    baseUrl: "https://glm.example/v1",
    models: ["glm-5"],
    auth: { kind: "value", value: "sk-upstream-secret" },
  });
  await gateway.admin("POST", "/api/quota/pools", {
    id: "glm-pool",
    connectionId: "glm",
    name: "GLM",
    whenStoreFails: { budget: 0.01 },
    ...LENT,
  });
  await gateway.plan([{ unit: "requests", window: "hourly", limit: 10 }]);
  return gateway;
}

describe("a configuration", () => {
  test("goes from one gateway to another, with every id, and no secret", async () => {
    const [from, to] = [await furnished(), await startTestGateway()];
    const config = await configOf(from);
    const text = JSON.stringify(config);
    for (const secret of ["sk-upstream-secret", "sk-simulated-account", "sk-demo"])
      expect(text).not.toContain(secret);
    expect(config.connections.map(({ id, secret }) => [id, secret])).toEqual([
      ["codex-demo", "to be set"],
      ["glm", "to be set"],
      ["kimi-demo", "to be set"],
    ]);
    expect(configHashes(await configOf(to), {})).not.toEqual(configHashes(config, {}));

    const answer = await to.admin("PUT", "/api/config", config);
    expect([answer.status, await answer.json()]).toEqual([
      200,
      { connections: 3, keys: 3, pools: 3, plans: 1, secretsToSet: ["glm"] },
    ]);
    const copy = await configOf(to);
    expect(copy.pools.find(({ id }) => id === "glm-pool")).toMatchObject(LENT);
    expect(configHashes(copy, {})).toEqual(configHashes(config, {}));
    expect(copy.pools).toEqual(config.pools);
    expect(copy.ratePlanRevision).toBeGreaterThanOrEqual(config.ratePlanRevision);

    // In force at once: the keys, their limits, and the plan of 10 requests, of which bob may take 5 until it is strict.
    const told = await Promise.all(Array.from({ length: 12 }, () => to.ask("bob")));
    expect(told.filter(({ status }) => status === 200)).toHaveLength(5);
    expect(await (await to.admin("GET", "/api/keys/alice")).json()).toMatchObject({
      teamId: "core",
      orgId: "acme",
      rpm: 7,
    });
    expect((await to.ask("alice")).status).toBe(429);
  });

  test("that is imported into the gateway it came from changes nothing, and what was counted stays", async () => {
    const gateway = await furnished();
    await (await gateway.ask("bob")).text();
    await gateway.quiet();
    const config = await configOf(gateway);
    const answer = await gateway.admin("PUT", "/api/config", config);
    expect(await answer.json()).toMatchObject({ secretsToSet: [] });
    const { ratePlanRevision, ...after } = await configOf(gateway);
    expect({ ...after, ratePlanRevision: config.ratePlanRevision }).toEqual(config);
    expect(ratePlanRevision).toBe(config.ratePlanRevision + 1);
    expect((await gateway.usage()).dimensions[0]).toMatchObject({ consumedTotal: 1, held: 0 });
    expect((await gateway.ask("bob")).status).toBe(200);
  });

  test("that was written before pools could choose a rule has the one that there was", async () => {
    const gateway = await furnished();
    const config = await configOf(gateway);
    const old = config.pools.map((pool) => {
      const { lending, ...rest } = pool as Readonly<Record<string, unknown>>;
      return lending === "threshold"
        ? rest
        : { ...rest, lending: undefined, shadow: undefined, allocations: [] };
    });
    expect((await gateway.admin("PUT", "/api/config", { ...config, pools: old })).status).toBe(200);
    for (const pool of (await configOf(gateway)).pools) {
      expect(pool).toMatchObject({ lending: "threshold" });
      expect(pool).not.toHaveProperty("shadow");
    }
  });

  test("takes away what is not in it, secrets of connections included", async () => {
    const gateway = await furnished();
    const config = await configOf(gateway);
    const less = {
      ...config,
      connections: config.connections.filter(({ id }) => id !== "glm"),
      pools: config.pools.filter(({ connectionId }) => connectionId !== "glm"),
    };
    expect((await gateway.admin("PUT", "/api/config", less)).status).toBe(200);
    expect((await gateway.admin("GET", "/api/connections/glm")).status).toBe(404);
    const again = await gateway.admin("PUT", "/api/config", config);
    expect(await again.json()).toMatchObject({ secretsToSet: ["glm"] });
  });

  test("with faults is 400 with all of them, and nothing is written", async () => {
    const gateway = await furnished();
    const config = await configOf(gateway);
    const [pool] = config.pools;
    const bad = {
      ...config,
      plans: [{ connectionId: "nowhere", dimensions: [{ unit: "requests", window: "hourly", limit: 0 }] }],
      teams: config.teams.map((team) => ({ ...team, orgId: "nobody" })),
      keys: [...config.keys, config.keys[0]],
      pools: [
        { ...pool, name: "", allocations: [{ apiKeyId: "a", weight: 101 }] },
        { ...pool, connectionId: "lost", lending: "lottery", allocations: [] },
      ],
    };
    const answer = await gateway.admin("PUT", "/api/config", bad);
    const { errors } = (await answer.json()) as { errors: { path: string; message: string }[] };
    expect(answer.status).toBe(400);
    expect(errors.map(({ path }) => path).sort()).toEqual(
      [
        ...["keys[3].id", "keys[3].secretHash", "plans[0].connectionId", "plans[0].dimensions[0].limit"],
        ...["pools[0].allocations[0].weight", "pools[0].name", "pools[1].connectionId", "pools[1].id"],
        "pools[1].lending",
        ...["pools[1].incarnation", "teams[0].orgId"],
      ].sort(),
    );
    for (const body of [null, [], {}, { ...config, format: 2 }, { ...config, more: 1 }])
      expect((await gateway.admin("PUT", "/api/config", body)).status).toBe(400);
    expect(await configOf(gateway)).toEqual(config);
  });

  test("with numbers that nothing could be done with later, or a key elsewhere than its team, is 400", async () => {
    const gateway = await furnished();
    const config = await configOf(gateway);
    const never = 9e15;
    const bad = {
      ...config,
      connections: config.connections.map((connection) => ({ ...connection, createdAt: never })),
      organisations: config.organisations.map((organisation) => ({ ...organisation, createdAt: -never })),
      keys: config.keys.map((key) => (key.id === "alice" ? { ...key, version: 2 ** 53 - 1 } : key)),
      ratePlanRevision: 2 ** 53 - 1,
    };
    expect(await faultsOf(gateway, bad)).toEqual([
      ...["connections[0].createdAt", "connections[1].createdAt", "connections[2].createdAt"],
      ...["organisations[0].createdAt", "keys[0].version", "ratePlanRevision"],
    ]);
    const elsewhere = config.keys.map((key) => (key.id === "alice" ? { ...key, orgId: null } : key));
    expect(await faultsOf(gateway, { ...config, keys: elsewhere })).toEqual(["keys[0].orgId"]);
    expect(await configOf(gateway)).toEqual(config);

    // As far as it may go, it still goes on.
    const last = { ...config, ratePlanRevision: 2 ** 52 };
    expect((await gateway.admin("PUT", "/api/config", last)).status).toBe(200);
    expect((await gateway.admin("PATCH", "/api/teams/core", { tpm: null })).status).toBe(200);
    expect((await gateway.ask("alice")).status).toBe(200);
  });
});

async function faultsOf(gateway: TestGateway, config: unknown): Promise<string[]> {
  const answer = await gateway.admin("PUT", "/api/config", config);
  const { errors } = (await answer.json()) as { errors?: { path: string }[] };
  return (errors ?? []).map(({ path }) => path);
}
