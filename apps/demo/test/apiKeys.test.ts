import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { authenticate } from "../server/authenticate.js";
import { createHostCheck } from "../server/session/hostCheck.js";
import { describeEachDatabase } from "./describeEachDatabase.js";
import { openDatabase } from "./openDatabase.js";
import { openSqliteTables } from "./openTables.js";
import { temporaryDirectory } from "./temporaryDirectory.js";

describeEachDatabase("an API key", (open) => {
  test("is found by its secret, which is shown once", async () => {
    const { keys } = await open();
    const created = await keys.create({ id: "dora", name: "Dora's laptop" }, 1_000);
    expect(created?.secret).toMatch(/^sk-quota-[\w-]{43}$/u);
    expect(keys.ofSecret(created!.secret)).toMatchObject({
      id: "dora",
      name: "Dora's laptop",
      disabled: false,
    });
    expect(JSON.stringify(keys.list())).not.toContain(created!.secret);
  });

  test("with an id that is taken is not made, and the old secret stays good", async () => {
    const { keys } = await open();
    const first = await keys.create({ id: "dora" }, 1);
    expect(await keys.create({ id: "dora" }, 2)).toBeUndefined();
    expect(keys.ofSecret(first!.secret)?.id).toBe("dora");
  });

  test("may have any id", async () => {
    const { keys } = await open();
    for (const id of ["__proto__", "a|b", "{x}", "constructor", "ключ", "2001:db8::1"]) {
      const created = await keys.create({ id }, 1);
      expect(keys.ofSecret(created!.secret)?.id).toBe(id);
    }
    expect(keys.list()).toHaveLength(6);
  });

  test("has a new secret after it was rotated, and the old one is nobody's", async () => {
    const { keys } = await open();
    const first = await keys.create({ id: "dora", demoSecret: "sk-demo-dora" }, 1);
    const second = await keys.rotate("dora");
    expect(second!.secret).not.toBe(first!.secret);
    expect(second!.loopbackOnly).toBe(false);
    expect(keys.ofSecret(first!.secret)).toBeUndefined();
    expect(keys.ofSecret(second!.secret)?.id).toBe("dora");
    expect(await keys.rotate("nobody")).toBeUndefined();
  });

  test("is gone once deleted", async () => {
    const { keys } = await open();
    const created = await keys.create({ id: "dora" }, 1);
    expect(await keys.delete("dora")).toBe(true);
    expect(await keys.delete("dora")).toBe(false);
    expect(keys.ofSecret(created!.secret)).toBeUndefined();
  });

  test("changed by another process is seen as soon as one looks, and at once where it was changed", async () => {
    const opened = await open();
    const other = await opened.another();
    const [here, there] = [opened.keys, other.keys];
    const { secret } = (await here.create({ id: "dora" }, 1))!;
    const state = (keys: typeof here) => keys.ofSecret(secret)?.disabled ?? "nobody's";
    const both = async () => {
      await Promise.all([opened.tables.catchUp(), other.tables.catchUp()]);
      return [state(here), state(there)];
    };
    expect(await both()).toEqual([false, false]);
    await there.setDisabled("dora", true);
    expect(state(there)).toBe(true);
    expect(await both()).toEqual([true, true]);
    await here.setDisabled("dora", false);
    expect(await both()).toEqual([false, false]);
    await there.update("dora", { name: "Dora" });
    await opened.tables.catchUp();
    expect(here.ofSecret(secret)?.name).toBe("Dora");
    await here.rotate("dora");
    expect(await both()).toEqual(["nobody's", "nobody's"]);
  });
});

test("the secret of a key is nowhere in the file", async () => {
  const directory = temporaryDirectory();
  const { keys } = await openSqliteTables(directory);
  const { secret } = (await keys.create({ id: "dora" }, 1_000))!;
  const db = await openDatabase(directory);
  db.connection.pragma("wal_checkpoint(TRUNCATE)");
  expect(readFileSync(db.file).includes("dora")).toBe(true);
  expect(readFileSync(db.file).includes(secret)).toBe(false);
});

describe("a request is let in", () => {
  const asked = (headers: Record<string, string>) => ({
    headers: { host: "localhost:8787", ...headers },
    socket: { localPort: 8787 },
  });
  const hostsAt = (onLoopback: boolean) =>
    createHostCheck({ host: "127.0.0.1", onLoopback, publicHosts: ["quota.example.com"] });
  const hosts = hostsAt(true);

  test("by Authorization or by x-api-key, in either order", async () => {
    const { keys } = await openSqliteTables();
    const { secret } = (await keys.create({ id: "dora" }, 1))!;
    const who = (headers: Record<string, string>) =>
      authenticate(asked(headers), { keys, hosts })?.id ?? "nobody";
    expect(who({ authorization: `Bearer ${secret}` })).toBe("dora");
    expect(who({ authorization: `bearer   ${secret} ` })).toBe("dora");
    expect(who({ "x-api-key": secret })).toBe("dora");
    expect(who({ authorization: "Bearer someone-else", "x-api-key": secret })).toBe("dora");
    expect(who({})).toBe("nobody");
    expect(who({ authorization: secret })).toBe("nobody");
    expect(who({ authorization: `Basic ${secret}` })).toBe("nobody");
    expect(who({ "x-api-key": `${secret}x` })).toBe("nobody");
    expect(who({ "x-api-key": "" })).toBe("nobody");
  });

  test("not while its key is disabled", async () => {
    const { keys } = await openSqliteTables();
    const { secret } = (await keys.create({ id: "dora" }, 1))!;
    const isIn = () => authenticate(asked({ "x-api-key": secret }), { keys, hosts }) !== undefined;
    await keys.setDisabled("dora", true);
    expect(isIn()).toBe(false);
    await keys.setDisabled("dora", false);
    expect(isIn()).toBe(true);
  });

  test("with a demo key only where nobody else can reach the gateway", async () => {
    const { keys } = await openSqliteTables();
    await keys.create({ id: "alice", demoSecret: "sk-demo-alice" }, 1);
    const request = asked({ authorization: "Bearer sk-demo-alice" });
    expect(authenticate(request, { keys, hosts })?.id).toBe("alice");
    expect(authenticate(request, { keys, hosts: hostsAt(false) })).toBeUndefined();
  });

  test("with a demo key only under a name that nobody can point at this machine", async () => {
    const { keys } = await openSqliteTables();
    await keys.create({ id: "alice", demoSecret: "sk-demo-alice" }, 1);
    const { secret } = (await keys.create({ id: "dora" }, 1))!;
    const who = (bearer: string, host: string) =>
      authenticate(asked({ authorization: `Bearer ${bearer}`, host }), { keys, hosts })?.id ?? "nobody";
    expect(who("sk-demo-alice", "127.0.0.1:8787")).toBe("alice");
    expect(who("sk-demo-alice", "rebound.example:8787")).toBe("nobody");
    // A proxy in front: others can reach it.
    expect(who("sk-demo-alice", "quota.example.com")).toBe("nobody");
    expect(who(secret, "rebound.example:8787")).toBe("dora");
  });
});
