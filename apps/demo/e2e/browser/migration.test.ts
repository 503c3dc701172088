import type { Page } from "playwright-core";
import { expect, inject, test } from "vitest";
import { startTestGateway, type TestGateway } from "../../test/startTestGateway.js";
import { describeInBrowser, type BrowserSuite } from "./describeInBrowser.js";
import { expectAccessible } from "./expectAccessible.js";
import { signIn } from "./signIn.js";

const KEY = "omniroute:quota-share:pools";
const POOLS = "/api/quota/pools";

describeInBrowser("pools that an older dashboard kept in the browser", ({ open, openAlone }) => {
  test("are moved as soon as the gateway has said that it has none, and are gone from the browser", async () => {
    const { page, gateway, posted } = await legacy(open, JSON.stringify([KIMI, CODEX]));
    const { goOn } = await holdList(page);
    await page.goto(`${gateway.url}/dashboard/costs/quota-share`);
    await page.getByRole("heading", { level: 1 }).waitFor();
    expect(posted()).toBe(0);
    expect(await kept(page)).toBe(JSON.stringify([KIMI, CODEX]));
    goOn();
    await page
      .getByText("2 pools that an older dashboard kept in this browser are on the gateway now.")
      .waitFor();
    expect(await kept(page)).toBeNull();
    expect(await poolsOf(gateway)).toMatchObject([
      {
        id: "legacy-kimi",
        connectionId: "kimi-demo",
        name: "Team seat",
        allocations: [
          { apiKeyId: "alice", weight: 60, policy: "soft" },
          { apiKeyId: "bob", weight: 0, policy: "soft" },
        ],
      },
      {
        id: "legacy-codex",
        name: "codex",
        allocations: [{ apiKeyId: "carol", weight: 100, policy: "hard" }],
      },
    ]);
    await expect.poll(() => page.getByText("had a limit of 1500 requests (Hourly)").count()).toBe(1);
    await page.getByRole("link", { name: "Plans" }).last().waitFor();
    await page.reload();
    await page.getByText("Team seat").first().waitFor();
    expect(posted()).toBe(2);
  });

  test("stay where they are while the gateway does not say what it has", async () => {
    const { page, gateway, posted, expectFault } = await legacy(open, JSON.stringify([KIMI]));
    expectFault(/503/);
    await page.route(`**${POOLS}`, (route) =>
      route.request().method() === "GET"
        ? route.fulfill({ status: 503, json: { detail: "Away." } })
        : route.continue(),
    );
    await page.goto(`${gateway.url}/dashboard/costs/quota-share`);
    await page.getByText("Away.").first().waitFor();
    expect(posted()).toBe(0);
    expect(await kept(page)).toBe(JSON.stringify([KIMI]));
  });

  test("are not moved by themselves to a gateway that has pools, but when they are asked to", async () => {
    const { page, gateway, posted } = await legacy(open, JSON.stringify([CODEX]), ["codex-demo"]);
    await page.goto(`${gateway.url}/dashboard/costs/quota-share`);
    await page.getByText("this gateway has pools already").waitFor();
    expect(posted()).toBe(0);
    await page.getByRole("button", { name: "Try again" }).click();
    await page
      .getByText("A pool that an older dashboard kept in this browser is on the gateway now.")
      .waitFor();
    expect((await poolsOf(gateway)).map(({ connectionId }) => connectionId)).toEqual([
      "kimi-demo",
      "codex-demo",
    ]);
    expect(await kept(page)).toBeNull();
  });

  test("stay with the reason, if the gateway refuses them, exactly as they were written", async () => {
    const [good, strange, heavy] = [
      JSON.stringify(KIMI),
      '{"id":"s", "connectionId":"ostrich","provider":"o","accountLabel":"Strange","allocations":[]  }',
      JSON.stringify({
        ...CODEX,
        accountLabel: "Heavy",
        allocations: [
          { apiKeyId: "alice", percent: 70 },
          { apiKeyId: "bob", percent: 70 },
        ],
      }),
    ];
    const { page, gateway, posted, expectFault } = await legacy(open, `[${strange} ,${good}, ${heavy}]`);
    expectFault(/400/);
    await page.goto(`${gateway.url}/dashboard/costs/quota-share`);
    await page.getByText("connectionId names no connection").waitFor();
    await page.getByText("The weights sum to 140; lower them to 100 or less.").waitFor();
    expect(await kept(page)).toBe(`[${strange},${heavy}]`);
    expect((await poolsOf(gateway)).map(({ id }) => id)).toEqual(["legacy-kimi"]);
    await expectAccessible(page);

    await page.reload();
    await page.getByText("Still in this browser").waitFor();
    expect(posted()).toBe(3);
    await gateway.admin("POST", "/api/connections", { id: "ostrich", provider: "o", baseUrl: "simulator" });
    await page.getByRole("button", { name: "Try again" }).click();
    await expect.poll(() => kept(page)).toBe(`[${heavy}]`);
    expect((await poolsOf(gateway)).map(({ id }) => id).sort()).toEqual(["legacy-kimi", "s"]);
  });

  test.each([
    ["not JSON", '[{"id":', "It is not JSON."],
    ["a pool of no connection", '[{"provider":"kimi","allocations":[]} ]', "Its connectionId must be a text"],
  ])("stay to the byte and are told, if they are %s", async (_, raw, why) => {
    const { page, gateway, posted } = await legacy(open, raw);
    await page.goto(`${gateway.url}/dashboard/costs/quota-share`);
    await page.getByText(why).first().waitFor();
    expect(posted()).toBe(0);
    expect(await kept(page)).toBe(raw);
    expect(await page.getByRole("button", { name: "Try again" }).count()).toBe(0);
  });

  test("go while broken ones among them stay, and are deleted only by somebody who says so twice", async () => {
    const { page, gateway } = await legacy(open, `[7, ${JSON.stringify(KIMI)} ,{"half":1e3}]`);
    await page.goto(`${gateway.url}/dashboard/costs/quota-share`);
    await page.getByText("Entry 2").waitFor();
    expect((await poolsOf(gateway)).map(({ id }) => id)).toEqual(["legacy-kimi"]);
    expect(await kept(page)).toBe('[7,{"half":1e3}]');
    await page.getByRole("button", { name: "Delete it…" }).click();
    expect(await kept(page)).toBe('[7,{"half":1e3}]');
    await page.getByRole("button", { name: "Delete it for good" }).click();
    expect(await kept(page)).toBeNull();
    await expect.poll(() => page.getByText("Still in this browser").count()).toBe(0);
  });

  test("are neither lost nor moved twice, if the tab is closed half-way", async () => {
    const { page, gateway, expectFault } = await legacy(openAlone, JSON.stringify([KIMI, CODEX]));
    // What was asked for when the tab closed may have reached the gateway, or not.
    expectFault(/409/);
    await page.route(`**${POOLS}`, (route) =>
      // Nobody ever answers the second one.
      route.request().postData()?.includes("legacy-codex") ? undefined : route.continue(),
    );
    await page.goto(`${gateway.url}/dashboard/costs/quota-share`);
    await expect.poll(() => kept(page)).toBe(JSON.stringify([CODEX]));
    const next = await page.context().newPage();
    await page.close();
    await next.goto(`${gateway.url}/dashboard/costs/quota-share`);
    await next.getByRole("button", { name: "Try again" }).click();
    await expect.poll(() => kept(next)).toBeNull();
    expect((await poolsOf(gateway)).map(({ id }) => id)).toEqual(["legacy-kimi", "legacy-codex"]);
  });

  test("are known again, if the gateway took them and its answer was lost", async () => {
    const { page, gateway, expectFault } = await legacy(open, JSON.stringify([KIMI, CODEX]));
    expectFault(/ERR_FAILED/);
    expectFault(/409/);
    let lost = 0;
    await page.route(`**${POOLS}`, async (route) => {
      if (route.request().method() !== "POST" || lost > 0) return route.continue();
      lost += 1;
      await route.fetch();
      return route.abort();
    });
    await page.goto(`${gateway.url}/dashboard/costs/quota-share`);
    // Of no use to go on: nothing else was tried either.
    await expect.poll(() => page.getByText("The gateway does not answer.").count()).toBeGreaterThanOrEqual(2);
    expect(await kept(page)).toBe(JSON.stringify([KIMI, CODEX]));
    await page.getByRole("button", { name: "Try again" }).click();
    await expect.poll(() => kept(page)).toBeNull();
    expect((await poolsOf(gateway)).map(({ id }) => id)).toEqual(["legacy-kimi", "legacy-codex"]);
  });

  test("stay, if their connection has another pool by now", async () => {
    const { page, gateway, expectFault } = await legacy(open, JSON.stringify([KIMI]));
    expectFault(/409/);
    const { goOn } = await holdList(page);
    await page.goto(`${gateway.url}/dashboard/costs/quota-share`);
    await page.getByRole("heading", { level: 1 }).waitFor();
    await gateway.admin("POST", POOLS, { connectionId: "kimi-demo", name: "Other", allocations: [] });
    goOn();
    await page.getByText("Connection kimi-demo has pool").waitFor();
    expect(await kept(page)).toBe(JSON.stringify([KIMI]));
    expect((await poolsOf(gateway)).map(({ name }) => name)).toEqual(["Other"]);
  });

  test("are moved by one of two tabs that start at once, each of them once", async () => {
    const { page, gateway } = await legacy(openAlone, JSON.stringify([KIMI, CODEX]));
    const other = await page.context().newPage();
    let posts = 0;
    for (const tab of [page, other])
      tab.on("request", (request) => void (posts += Number(request.method() === "POST")));
    const held = [await holdList(page), await holdList(other)];
    await Promise.all([page, other].map((tab) => tab.goto(`${gateway.url}/dashboard/costs/quota-share`)));
    await Promise.all([page, other].map((tab) => tab.getByRole("heading", { level: 1 }).waitFor()));
    for (const { goOn } of held) goOn();
    for (const tab of [page, other]) await tab.getByText("Team seat").first().waitFor();
    await expect.poll(() => kept(page)).toBeNull();
    expect((await poolsOf(gateway)).map(({ id }) => id)).toEqual(["legacy-kimi", "legacy-codex"]);
    expect(posts).toBe(2);
  });
});

const KIMI = {
  id: "legacy-kimi",
  connectionId: "kimi-demo",
  provider: "kimi",
  accountLabel: "Team seat",
  window: "hourly",
  windowLabel: "Hourly",
  totalQuota: 1500,
  unit: "requests",
  policy: "soft",
  allocations: [
    { apiKeyId: "alice", percent: 60 },
    { apiKeyId: "bob", percent: -3 },
  ],
  createdAt: "2025-01-01T00:00:00.000Z",
};

const CODEX = {
  id: "legacy-codex",
  connectionId: "codex-demo",
  provider: "codex",
  accountLabel: "",
  policy: "fair",
  allocations: [{ apiKeyId: "carol", percent: 400 }],
};

/** A signed-in browser that has kept this, before it has opened anything, and a gateway without the pools of these connections. */
async function legacy(
  open: () => ReturnType<BrowserSuite["open"]>,
  raw: string,
  withoutPools: readonly string[] = ["kimi-demo", "codex-demo"],
) {
  const gateway = await startTestGateway({ webDirectory: inject("webDirectory") });
  for (const connectionId of withoutPools)
    await gateway.admin("DELETE", `${POOLS}/${(await gateway.poolOf(connectionId)).id}`);
  const { page, expectFault } = await open();
  // What belongs to a gateway is kept on any page of it.
  await page.route("**/kept", (route) =>
    route.fulfill({ contentType: "text/html", body: '<link rel="icon" href="data:,">' }),
  );
  await page.goto(`${gateway.url}/kept`);
  await page.evaluate(([key, value]) => localStorage.setItem(key, value), [KEY, raw] as const);
  await signIn(page, gateway);
  let posts = 0;
  page.on("request", (request) => void (posts += Number(request.method() === "POST")));
  return { gateway, page, expectFault, posted: () => posts };
}

/** Keeps the answer to the list of pools back until it may go on. */
async function holdList(page: Page): Promise<{ goOn(): void }> {
  let goOn = (): void => undefined;
  const may = new Promise<void>((resolve) => (goOn = resolve));
  let isFirst = true;
  await page.route(`**${POOLS}`, async (route) => {
    if (route.request().method() !== "GET" || !isFirst) return route.continue();
    isFirst = false;
    const response = await route.fetch();
    await may;
    return route.fulfill({ response });
  });
  return { goOn };
}

function kept(page: Page): Promise<string | null> {
  return page.evaluate((key) => localStorage.getItem(key), KEY);
}

async function poolsOf(gateway: TestGateway) {
  return (await (await gateway.admin("GET", POOLS)).json()) as readonly {
    readonly id: string;
    readonly name: string;
    readonly connectionId: string;
  }[];
}
