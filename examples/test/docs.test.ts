import { access, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseDimensions, type WhenStoreFails } from "@quota/core";
import {
  createMemoryPlanOverrides,
  createMemoryPoolDirectory,
  createMemoryUsageStore,
  createQuotaEngine,
  StoreError,
  worstCaseOvershoot,
  type UsageStore,
} from "@quota/engine";
import { openQuotaDatabase } from "@quota/sqlite";
import { describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("../../", import.meta.url));
const text = (path: string): Promise<string> => readFile(join(root, path), "utf8");

describe("README.md", () => {
  it("shows an excerpt of an example that runs, word for word", async () => {
    const [, excerpt = ""] = /```ts\n([^]*?)```/.exec(await text("README.md")) ?? [];
    const flat = (code: string): string => code.replaceAll(/^\s+/gm, "");
    const example = flat(await text("examples/02-one-process.ts"));
    expect(excerpt.split("\n").length).toBeGreaterThan(10);
    for (const part of excerpt.trim().split("\n\n")) expect(example).toContain(flat(part));
  });

  it("shows numbers that the rules give: bob alone in the demo's pool", async () => {
    const readme = await text("README.md");
    const number = (pattern: RegExp): number => Number(pattern.exec(readme)?.[1]);
    const pools = createMemoryPoolDirectory();
    const plans = createMemoryPlanOverrides();
    const allocations = [50, 30, 20].map((weight, i) => ({
      apiKeyId: ["alice", "bob", "carol"][i]!,
      weight,
    }));
    await pools.create({ connectionId: "kimi-demo", name: "Demo team", allocations }, Date.now());
    const engine = createQuotaEngine({ store: createMemoryUsageStore(), pools, plans });
    const bob = { apiKeyId: "bob", connectionId: "kimi-demo", provider: "kimi" };
    const ask = async () => {
      const { decision, lease } = await engine.admit(bob);
      if (lease) await engine.settle(lease);
      return decision;
    };
    expect((await ask()).dimensions[0]).toMatchObject({
      limit: number(/account at an AI provider: (\d+) requests/),
      share: number(/q=(\d+)/),
    });

    const dimensions = parseDimensions(
      (JSON.parse(/{"dimensions":.*?\]}/.exec(readme)?.[0] ?? "{}") as { dimensions: unknown }).dimensions,
    );
    await plans.set("kimi-demo", dimensions.ok ? dimensions.value : []);
    for (let i = 0; i < number(/seq (\d+)/); i += 1) expect((await ask()).status).toBe("allowed");
    const refused = await ask();
    expect(refused).toMatchObject({ status: "refused", reason: "fair-share" });
    expect(refused.dimensions[0]).toMatchObject({
      used: number(/(\d+) of your \d+ share/),
      share: number(/of your (\d+) share/),
    });
    await engine.close();
  });

  it("names the oldest Node that is supported", async () => {
    const { engines } = JSON.parse(await text("package.json")) as { engines: { node: string } };
    for (const file of ["README.md", "CONTRIBUTING.md"])
      expect(await text(file)).toContain(`Node ${engines.node.replace(">=", "")} or newer`);
  });

  it("names commands that are there", async () => {
    const { scripts } = JSON.parse(await text("package.json")) as { scripts: Record<string, string> };
    const pages = [await text("README.md"), await text("CONTRIBUTING.md")].join("\n");
    const named = [...pages.matchAll(/npx -y pnpm (\w[\w:]*)/g)].map(([, name]) => name!);
    expect(named).toContain("demo");
    expect(named).toContain("test");
    for (const name of named.filter((each) => each !== "exec" && each !== "install"))
      expect(scripts).toHaveProperty([name]);
  });
});

describe("every page", () => {
  it("links to and names only files that are there", async () => {
    const pages = await everyPage();
    expect(pages.length).toBeGreaterThan(15);
    const broken: string[] = [];
    for (const page of pages) {
      const words = await text(page);
      const links = [...words.matchAll(/\]\(([^)#\s]+)(?:#[^)]*)?\)/g)]
        .map(([, link = ""]) => link)
        .filter((link) => !link.startsWith("https://"))
        .map((link) => join(dirname(page), link));
      const named = [...words.matchAll(/`((?:packages|apps|docs|examples)\/[\w./-]*)`/g)].map(
        ([, path = ""]) => path,
      );
      for (const path of [...links, ...named])
        await access(join(root, path)).catch((error: unknown) =>
          broken.push(`${page}: ${path} (${String(error)})`),
        );
    }
    expect(broken).toEqual([]);
  });

  it("links to headings that are there", async () => {
    const broken: string[] = [];
    for (const page of await everyPage())
      for (const [, link = "", anchor = ""] of (await text(page)).matchAll(/\]\(([^)#\s:]+)#([^)]*)\)/g)) {
        const headings = [...(await text(join(dirname(page), link))).matchAll(/^#+ (.*)$/gm)].map(
          ([, heading = ""]) =>
            heading
              .toLowerCase()
              .replaceAll(/[^\w\s-]/g, "")
              .replaceAll(/\s/g, "-"),
        );
        if (!headings.includes(anchor)) broken.push(`${page}: ${link}#${anchor}`);
      }
    expect(broken).toEqual([]);
  });
});

describe("docs/deploy.md", () => {
  it("says truly how far each choice can go past a limit while the store is away", async () => {
    const page = await text("docs/deploy.md");
    const [, limit, replicas] = /worst case past a limit of (\d+), (\d+) gateways/.exec(page) ?? [];
    const said = new Map(
      [...page.matchAll(/^\| `(.+?)`.*\| (unlimited|\d+) +\|$/gm)].map(([, choice, risk]) => [
        choice!,
        risk!,
      ]),
    );
    const risk = (whenStoreFails: WhenStoreFails): string =>
      String(worstCaseOvershoot({ limit: Number(limit) }, { whenStoreFails, replicas: Number(replicas) }));
    expect(said).toEqual(
      new Map([
        ['"allow"', risk("allow")],
        ['"last-known"', risk("last-known")],
        ['{ "budget": 0.01 }', risk({ budget: 0.01 })],
        ['"deny"', risk("deny")],
      ]),
    );
  });
});

describe("docs/failure.md", () => {
  const caller = { apiKeyId: "alice", connectionId: "team-seat", provider: "kimi" };

  async function setUp(store: UsageStore = createMemoryUsageStore()) {
    const time = { now: Date.UTC(2026, 0, 5) };
    const pools = createMemoryPoolDirectory();
    const allocations = [{ apiKeyId: "alice", weight: 100 }];
    const pool = await pools.create({ connectionId: "team-seat", name: "Team", allocations }, time.now);
    const engine = createQuotaEngine({
      store,
      pools,
      plans: createMemoryPlanOverrides(),
      clock: { now: () => time.now },
    });
    const held = async () => (await engine.usage(pool.id))?.dimensions[0]?.held;
    return { engine, time, held };
  }

  it("says truly when the hold of a process that died is gone", async () => {
    const { engine, time, held } = await setUp();
    await engine.admit(caller);
    const [, minutes] = /two lease generations \((\d+) minutes\)/.exec(await text("docs/failure.md")) ?? [];
    time.now += Number(minutes) * 60_000 - 1;
    expect(await held()).toBe(1);
    time.now += 1;
    expect(await held()).toBe(0);
    await engine.close();

    const generation = `${String(Number(minutes) / 2)} minutes`;
    for (const file of ["vocabulary", "windows", "decisions/0001-holds-are-counters-of-their-own"])
      expect(await text(`docs/${file}.md`)).toContain(generation);
  });

  it("says truly that a failed store lets requests pass, and that their use is added later", async () => {
    const memory = createMemoryUsageStore();
    const outage = { on: true };
    const store: UsageStore = {
      ...memory,
      async transact(step) {
        if (outage.on) throw new StoreError("The store is away.", { applied: "no" });
        return await memory.transact(step);
      },
    };
    const { engine } = await setUp(store);
    const { decision, lease } = await engine.admit(caller);
    expect(decision.status).toBe("unjudged");
    await engine.settle(lease!, { requests: 7 });
    expect(engine.status()).toMatchObject({ remembered: 1 });
    outage.on = false;
    await engine.close();
    expect(engine.status()).toMatchObject({ remembered: 0 });
    expect((await engine.peek(caller)).dimensions[0]).toMatchObject({ used: 7 });
  });

  it("says truly how SQLite is set, and how long it waits", async () => {
    const directory = await mkdtemp(join(tmpdir(), "quota-"));
    const db = await openQuotaDatabase({ file: join(directory, "storage.sqlite") });
    const NORMAL = 1;
    expect(db.connection.pragma("journal_mode", { simple: true })).toBe("wal");
    expect(db.connection.pragma("synchronous", { simple: true })).toBe(NORMAL);
    expect(await text("docs/failure.md")).toContain(`wait up to ${String(db.lockWaitMs)} ms`);
    db.close();
    await rm(directory, { recursive: true });
  });
});

async function everyPage(): Promise<readonly string[]> {
  const rooms = (await readdir(join(root, "packages"))).map((room) => `packages/${room}`);
  return [
    ...["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md"],
    ...[...rooms, "apps/demo"].map((room) => `${room}/README.md`),
    ...(await markdownBelow("docs")),
  ];
}

async function markdownBelow(directory: string): Promise<readonly string[]> {
  const names = await readdir(join(root, directory), { recursive: true });
  return names.filter((name) => name.endsWith(".md")).map((name) => join(directory, name));
}
