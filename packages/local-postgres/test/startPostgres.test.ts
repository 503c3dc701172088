import { Client } from "pg";
import { expect, test } from "vitest";
import { createDatabase, startPostgres } from "../src/index.js";
import { describeWithPostgres } from "../src/describeWithPostgres.js";

describeWithPostgres("a PostgreSQL server of one's own", (url) => {
  test("makes databases, copies them, and takes them away", async () => {
    const one = await createDatabase(url);
    await one.query("CREATE TABLE kept AS SELECT 7 AS number");
    const copy = await createDatabase(url, one.name);
    expect(await copy.query("SELECT number FROM kept")).toEqual([{ number: 7 }]);
    for (const database of [one, copy]) await database.drop();
    await expect(one.query("SELECT 1")).rejects.toMatchObject({ code: "3D000" });
  });

  test("comes back from a crash with what was committed, and goes with its data", async () => {
    const server = await startPostgres({ durable: true });
    const { query, url: at } = await createDatabase(server.url);
    expect(await query("SHOW fsync")).toEqual([{ fsync: "on" }]);
    await query("CREATE TABLE kept AS SELECT 7 AS number");
    const connected = new Client({ connectionString: at });
    await connected.connect();
    const cut = new Promise((resolve) => connected.once("error", resolve));
    await server.kill();
    expect(await cut).toBeInstanceOf(Error);
    await expect(query("SELECT 1")).rejects.toMatchObject({ code: "ECONNREFUSED" });
    await server.start();
    expect(await query("SELECT number FROM kept")).toEqual([{ number: 7 }]);
    for (let i = 0; i < 2; i += 1) await server.stop();
    await expect(query("SELECT 1")).rejects.toMatchObject({ code: "ECONNREFUSED" });
  });
});
