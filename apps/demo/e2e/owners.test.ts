import { describe, expect, test } from "vitest";
import { startTestGateway, type TestGateway } from "../test/startTestGateway.js";

async function call(gateway: TestGateway, ...asked: Parameters<TestGateway["admin"]>) {
  const answer = await gateway.admin(...asked);
  const text = await answer.text();
  return {
    status: answer.status,
    etag: answer.headers.get("etag"),
    body: text === "" ? undefined : json(text),
  };
}

function json(text: string): Record<string, unknown> {
  return JSON.parse(text) as Record<string, unknown>;
}

describe("organisations and teams", () => {
  test("are made, shown, changed and deleted", async () => {
    const gateway = await startTestGateway();
    const made = await call(gateway, "POST", "/api/orgs", { id: "acme", name: "Acme", rpm: 100 });
    const acme = { id: "acme", name: "Acme", rpm: 100, tpm: null, version: 1 };
    expect(made).toMatchObject({ status: 201, etag: '"1"', body: { ...acme, warnings: [] } });
    expect(await call(gateway, "POST", "/api/orgs", { id: "acme" })).toMatchObject({ status: 409 });
    expect(await call(gateway, "POST", "/api/teams", { id: "red", orgId: "acme", tpm: 0 })).toMatchObject({
      status: 201,
      body: { id: "red", name: "red", orgId: "acme", rpm: null, tpm: 0, version: 1 },
    });
    expect(await call(gateway, "PATCH", "/api/orgs/acme", { rpm: null, tpm: 5_000 })).toMatchObject({
      status: 200,
      etag: '"2"',
      body: { name: "Acme", rpm: null, tpm: 5_000, version: 2 },
    });
    expect(await call(gateway, "GET", "/api/orgs/acme")).toMatchObject({ etag: '"2"', body: { tpm: 5_000 } });
    expect(await call(gateway, "GET", "/api/orgs")).toMatchObject({ body: [{ id: "acme" }] });
    expect(await call(gateway, "GET", "/api/teams")).toMatchObject({ body: [{ id: "red", orgId: "acme" }] });
    expect(await call(gateway, "PATCH", "/api/teams/red", { orgId: null, name: "Red" })).toMatchObject({
      body: { orgId: null, name: "Red", tpm: 0 },
    });
    for (const path of ["/api/teams/red", "/api/orgs/acme"]) {
      expect((await call(gateway, "DELETE", path)).status).toBe(204);
      for (const method of ["GET", "DELETE"]) expect((await call(gateway, method, path)).status).toBe(404);
      expect((await call(gateway, "PATCH", path, {})).status).toBe(404);
    }
  });

  test("are not changed on top of an edit that nobody has seen: 412, with the thing as it is now", async () => {
    const gateway = await startTestGateway();
    await call(gateway, "POST", "/api/orgs", { id: "acme" });
    await call(gateway, "POST", "/api/teams", { id: "red" });
    for (const [path, what] of [
      ["/api/orgs/acme", "organisation"],
      ["/api/teams/red", "team"],
      ["/api/keys/alice", "key"],
    ] as const) {
      const edit = (rpm: number, version: string) =>
        call(gateway, "PATCH", path, { rpm }, { "if-match": version });
      expect(await edit(5, '"1"')).toMatchObject({ status: 200, etag: '"2"', body: { rpm: 5, version: 2 } });
      expect(await edit(6, '"1"')).toMatchObject({
        status: 412,
        etag: '"2"',
        body: { status: 412, [what]: { rpm: 5, version: 2 } },
      });
      expect(await edit(6, "x")).toMatchObject({ status: 400 });
      expect(await call(gateway, "GET", path)).toMatchObject({ etag: '"2"', body: { rpm: 5 } });
    }
  });

  test("are not deleted while they have members, who are named", async () => {
    const gateway = await startTestGateway();
    await call(gateway, "POST", "/api/orgs", { id: "acme" });
    await call(gateway, "POST", "/api/teams", { id: "red", orgId: "acme" });
    await call(gateway, "PATCH", "/api/keys/alice", { teamId: "red" });
    await call(gateway, "PATCH", "/api/keys/bob", { orgId: "acme" });
    const refused = async (path: string) => {
      const { status, body } = await call(gateway, "DELETE", path);
      return [status, body?.["detail"]];
    };
    expect(await refused("/api/orgs/acme")).toEqual([
      409,
      "The organisation acme still has members: team red; key bob. Move or delete them first.",
    ]);
    expect(await refused("/api/teams/red")).toEqual([
      409,
      "The team red still has members: key alice. Move or delete them first.",
    ]);
    await call(gateway, "DELETE", "/api/keys/alice");
    await call(gateway, "PATCH", "/api/keys/bob", { orgId: null });
    expect((await call(gateway, "DELETE", "/api/teams/red")).status).toBe(204);
    expect((await call(gateway, "DELETE", "/api/orgs/acme")).status).toBe(204);
  });

  test("of whom there are many are counted, not all spelled out", async () => {
    const gateway = await startTestGateway();
    await call(gateway, "POST", "/api/teams", { id: "red" });
    for (let i = 10; i < 33; i += 1) await call(gateway, "POST", "/api/keys", { id: `k${i}`, teamId: "red" });
    const { body } = await call(gateway, "DELETE", "/api/teams/red");
    expect(body?.["detail"]).toMatch(/keys k10, k11, .*k29 and 3 more\./u);
  });
});

describe("a key", () => {
  test("belongs to a team and its organisation, from the start or later, and says so", async () => {
    const gateway = await startTestGateway();
    await call(gateway, "POST", "/api/orgs", { id: "acme" });
    await call(gateway, "POST", "/api/teams", { id: "red", orgId: "acme" });
    const made = await call(gateway, "POST", "/api/keys", { id: "dora", teamId: "red", rpm: 2 });
    const dora = { id: "dora", teamId: "red", orgId: "acme", rpm: 2, tpm: null, version: 1 };
    expect(made).toMatchObject({ status: 201, body: { ...dora, warnings: [] } });
    expect(made.body).toHaveProperty("secret");
    expect(await call(gateway, "PATCH", "/api/keys/alice", { name: "A", orgId: "acme" })).toMatchObject({
      status: 200,
      body: { name: "A", teamId: null, orgId: "acme", version: 2 },
    });
    expect((await call(gateway, "PATCH", "/api/keys/nobody", { rpm: 1 })).status).toBe(404);
    const listed = (await call(gateway, "GET", "/api/keys")).body as unknown as Record<string, unknown>[];
    expect(listed.find(({ id }) => id === "dora")).toMatchObject(dora);
    expect(JSON.stringify(listed)).not.toContain("secret");
  });
});

test("everything that is wrong with a body is said at once, unknown owners too, and nothing is written", async () => {
  const gateway = await startTestGateway();
  await call(gateway, "POST", "/api/orgs", { id: "acme" });
  await call(gateway, "POST", "/api/teams", { id: "red", orgId: "acme" });
  const faults = async (method: string, path: string, body: unknown) => {
    const answer = await call(gateway, method, path, body);
    expect(answer.status).toBe(400);
    return (answer.body!["errors"] as { path: string }[]).map((fault) => fault.path).sort();
  };
  const bad = { rpm: -1, tpm: 1.5, extra: true };
  expect(await faults("POST", "/api/orgs", { id: "..", name: "", ...bad })).toEqual([
    "extra",
    "id",
    "name",
    "rpm",
    "tpm",
  ]);
  expect(await faults("PATCH", "/api/orgs/acme", { rpm: "7", tpm: 1e300 })).toEqual(["rpm", "tpm"]);
  expect(await faults("POST", "/api/teams", { id: "blue", orgId: "nobody", ...bad })).toEqual([
    "extra",
    "orgId",
    "rpm",
    "tpm",
  ]);
  expect(await faults("PATCH", "/api/teams/red", { orgId: 7 })).toEqual(["orgId"]);
  expect(await faults("POST", "/api/keys", { id: "dora", teamId: "x", orgId: "y", ...bad })).toEqual([
    "extra",
    "orgId",
    "rpm",
    "teamId",
    "tpm",
  ]);
  expect(await faults("PATCH", "/api/keys/alice", { teamId: "red", orgId: null, rpm: true })).toEqual([
    "orgId",
    "rpm",
  ]);
  for (const [path, version] of [
    ["/api/orgs/acme", 1],
    ["/api/teams/red", 1],
    ["/api/keys/alice", 1],
  ] as const)
    expect(await call(gateway, "GET", path)).toMatchObject({ body: { version } });
  const message = JSON.stringify((await call(gateway, "POST", "/api/keys", { teamId: "blue" })).body);
  expect(message).toContain('teamId names the team \\"blue\\", which there is not');
});

test("limits below that add up to more than a limit above are a warning of the write that makes them so", async () => {
  const gateway = await startTestGateway();
  await call(gateway, "POST", "/api/orgs", { id: "acme", rpm: 100 });
  await call(gateway, "POST", "/api/teams", { id: "red", orgId: "acme", rpm: 80 });
  const over = { kind: "organisation", id: "acme", dimension: "rpm", limit: 100, limitsBelow: 160 };
  expect(await call(gateway, "PATCH", "/api/keys/alice", { orgId: "acme", rpm: 80 })).toMatchObject({
    status: 200,
    body: { warnings: [over] },
  });
  const { warnings } = (await call(gateway, "PATCH", "/api/teams/red", { name: "Red" })).body!;
  expect(warnings).toEqual([
    {
      ...over,
      message:
        'The organisation "acme" has rpm 100, but the limits next below it add up to 160: under load they get less than they say; raise it to 160, or lower those.',
    },
  ]);
  // Whoever is not concerned is not told.
  expect((await call(gateway, "PATCH", "/api/keys/bob", { rpm: 80 })).body!["warnings"]).toEqual([]);
  expect((await call(gateway, "PATCH", "/api/orgs/acme", { rpm: 160 })).body!["warnings"]).toEqual([]);
});
