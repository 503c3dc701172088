import { createMemoryUsageStore, StoreError } from "@quota/engine";
import { describe, expect, test } from "vitest";
import type { RatesJson, RateTreeNodeJson } from "../server/rateRoutes.js";
import { startTestGateway, type TestGateway } from "../test/startTestGateway.js";

interface Tree {
  readonly generatedAt: number;
  readonly revision: number;
  readonly resetsAt: number;
  readonly nodes: readonly RateTreeNodeJson[];
}

const json = async <Answer>({ admin }: TestGateway, path: string) =>
  (await (await admin("GET", path)).json()) as Answer;

describe("the tree of limits per minute", () => {
  test("has every organisation, team and key, and of each what /rates/:kind/:id says", async () => {
    const gateway = await startTestGateway();
    await gateway.plan([{ unit: "requests", window: "hourly", limit: 1000 }]);
    const made: readonly [string, string, object][] = [
      ["POST", "/api/orgs", { id: "acme", name: "Acme <b>", rpm: 10 }],
      ["POST", "/api/teams", { id: "crew", orgId: "acme", tpm: 90_000 }],
      ["PATCH", "/api/keys/alice", { teamId: "crew", rpm: 4 }],
      ["PATCH", "/api/keys/bob", { orgId: "acme" }],
    ];
    for (const [method, path, body] of made) expect((await gateway.admin(method, path, body)).ok).toBe(true);
    for (const key of ["alice", "bob", "carol"]) await (await gateway.ask(key)).text();
    await gateway.quiet();

    const tree = await json<Tree>(gateway, "/api/rates");
    expect(
      tree.nodes.map(({ kind, id, name, parent, version }) => ({ kind, id, name, parent, version })),
    ).toEqual([
      { kind: "organisation", id: "acme", name: "Acme <b>", parent: undefined, version: 1 },
      { kind: "team", id: "crew", name: "crew", parent: { kind: "organisation", id: "acme" }, version: 1 },
      expect.objectContaining({ kind: "key", id: "alice", parent: { kind: "team", id: "crew" }, version: 2 }),
      expect.objectContaining({ kind: "key", id: "bob", parent: { kind: "organisation", id: "acme" } }),
      expect.objectContaining({ kind: "key", id: "carol", parent: undefined, version: 1 }),
    ]);
    const [acme, , alice, bob, carol] = tree.nodes;
    // Alice has used 1 of her 4: 3 are kept for her; bob has used 1 of what is left.
    expect(acme!.rpm).toEqual({ limit: 10, used: 2, heldForChildren: 3, left: 5 });
    expect(alice!.rpm).toEqual({ limit: 4, used: 1, heldForChildren: 0, left: 3 });
    expect(bob!.rpm).toEqual({ limit: null, used: 1, heldForChildren: 0, left: "unlimited" });
    expect(carol!.rpm).toEqual({ limit: null, used: "uncounted", heldForChildren: 0, left: "unlimited" });
    const words = { organisation: "org", team: "team", key: "key" } as Record<string, string>;
    for (const { kind, id, rpm, tpm } of tree.nodes) {
      const one = await json<RatesJson>(gateway, `/api/rates/${words[kind]!}/${id}`);
      expect({ rpm: one.rpm, tpm: one.tpm }).toEqual({ rpm, tpm });
      expect({ revision: one.revision, resetsAt: one.resetsAt }).toEqual({
        revision: tree.revision,
        resetsAt: tree.resetsAt,
      });
    }
    // What an edit is based on is the version that the tree shows.
    const edit = await gateway.admin("PATCH", "/api/keys/carol", { rpm: 1 }, { "if-match": '"1"' });
    expect(edit.status).toBe(200);
    const late = await gateway.admin("PATCH", "/api/keys/carol", { rpm: 2 }, { "if-match": '"1"' });
    expect(late.status).toBe(412);
    expect((await json<Tree>(gateway, "/api/rates")).nodes.at(-1)).toMatchObject({
      version: 2,
      rpm: { limit: 1, used: 0 },
    });
  });

  test("is 503 where its ledger cannot be read, and 401 for everybody else", async () => {
    const store = { ...createMemoryUsageStore(), on: true };
    const failing = {
      ...store,
      read: (...asked: Parameters<typeof store.read>) =>
        store.on ? store.read(...asked) : Promise.reject(new StoreError("away", { applied: "no" })),
    };
    const gateway = await startTestGateway({
      settings: { storeDriver: "redis", storeRedisUrl: "redis://127.0.0.1:1" },
      openRedis: async () => ({
        store: failing,
        clock: { now: () => Date.UTC(2026, 0, 15, 12, 5) },
        live: async function* () {
          yield* [];
        },
        ask: async () => [],
        close: async () => undefined,
      }),
    });
    expect((await gateway.admin("GET", "/api/rates")).status).toBe(200);
    store.on = false;
    const answer = await gateway.admin("GET", "/api/rates");
    expect([answer.status, answer.headers.get("content-type")]).toEqual([
      503,
      expect.stringContaining("application/problem+json"),
    ]);
    expect((await fetch(`${gateway.url}/api/rates`)).status).toBe(401);
  });

  test("that is written while it is read shows no limit with the version of a later one", async () => {
    const store = createMemoryUsageStore();
    const world = { meanwhile: async (): Promise<unknown> => undefined };
    const gateway = await startTestGateway({
      settings: { storeDriver: "redis", storeRedisUrl: "redis://127.0.0.1:1" },
      openRedis: async () => ({
        store: {
          ...store,
          async read(ledger, counters) {
            const { meanwhile } = world;
            world.meanwhile = async () => undefined;
            await meanwhile();
            return store.read(ledger, counters);
          },
        },
        clock: { now: () => Date.UTC(2026, 0, 15, 12, 5) },
        live: async function* () {
          yield* [];
        },
        ask: async () => [],
        close: async () => undefined,
      }),
    });
    await gateway.admin("PATCH", "/api/keys/carol", { rpm: 1 });
    world.meanwhile = () => gateway.admin("PATCH", "/api/keys/carol", { rpm: 7 });
    const tree = await json<Tree>(gateway, "/api/rates");
    expect(tree.generatedAt).toBe(Date.UTC(2026, 0, 15, 12, 5));
    const { version, rpm } = tree.nodes.at(-1)!;
    expect({ version, limit: rpm.limit }).toEqual({ version: 2, limit: 1 });
    const edit = await gateway.admin("PATCH", "/api/keys/carol", { rpm: 2 }, { "if-match": `"${version}"` });
    expect(edit.status).toBe(412);
  });

  test("of thousands of keys is read in one question to the store", async () => {
    const reads: number[] = [];
    const store = createMemoryUsageStore();
    const gateway = await startTestGateway({
      settings: { storeDriver: "redis", storeRedisUrl: "redis://127.0.0.1:1" },
      openRedis: async () => ({
        store: {
          ...store,
          read: (ledger, counters) => {
            reads.push(counters.length);
            return store.read(ledger, counters);
          },
        },
        clock: { now: () => Date.UTC(2026, 0, 15, 12, 5) },
        live: async function* () {
          yield* [];
        },
        ask: async () => [],
        close: async () => undefined,
      }),
    });
    const config = await json<{ keys: Record<string, unknown>[]; organisations: unknown[] }>(
      gateway,
      "/api/config",
    );
    const many = Array.from({ length: 2_000 }, (_, i) => ({
      ...config.keys[0]!,
      id: `key ${i}`,
      secretHash: i.toString(16).padStart(64, "0"),
      orgId: "acme",
      rpm: i % 3,
    }));
    const organisations = [{ id: "acme", rpm: 5_000, version: 1, createdAt: 1 }];
    const put = await gateway.admin("PUT", "/api/config", {
      ...config,
      organisations,
      keys: [...config.keys, ...many],
    });
    expect(put.status).toBe(200);
    reads.length = 0;
    const tree = await json<Tree>(gateway, "/api/rates");
    expect(tree.nodes).toHaveLength(1 + config.keys.length + 2_000);
    expect(new Set(tree.nodes.map(({ id }) => id)).size).toBe(tree.nodes.length);
    expect(tree.nodes[0]!.rpm).toEqual({ limit: 5_000, used: 0, heldForChildren: 1_999, left: 3_001 });
    expect(reads).toHaveLength(1);
  });
});
