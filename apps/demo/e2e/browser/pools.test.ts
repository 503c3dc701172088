import { expect, inject, test } from "vitest";
import { startTestGateway } from "../../test/startTestGateway.js";
import { describeInBrowser } from "./describeInBrowser.js";
import { signIn } from "./signIn.js";
import { withClock } from "./withClock.js";

const POOLS = "/dashboard/costs/quota-share";

describeInBrowser("the pools", ({ open, openAlone }) => {
  const opened = async (
    options: Parameters<typeof startTestGateway>[0] = {},
    openIt: () => ReturnType<typeof open> = open,
  ) => {
    const gateway = await startTestGateway({ webDirectory: inject("webDirectory"), ...options });
    const seen = await openIt();
    await signIn(seen.page, gateway);
    return { gateway, ...seen };
  };

  test("of a first run: the printed link signs in, and a first pool is made without reading docs", async () => {
    const gateway = await startTestGateway({ webDirectory: inject("webDirectory") });
    for (const connectionId of ["kimi-demo", "codex-demo"])
      await gateway.admin("DELETE", `/api/quota/pools/${(await gateway.poolOf(connectionId)).id}`);
    const { page } = await open();
    await page.goto(gateway.signInLink);
    await page.getByRole("heading", { name: "No pool yet" }).waitFor();
    expect(page.url()).toBe(`${gateway.url}${POOLS}`);
    await page.getByRole("button", { name: "Create the first pool" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Connection").selectOption("kimi-demo");
    await dialog.getByLabel("Name", { exact: true }).fill("Team");
    await dialog.getByRole("button", { name: "Create the pool" }).click();
    const card = page.getByRole("region", { name: "Pool Team" });
    await card.getByText("3 allocations").waitFor();
    await card.getByRole("row", { name: /alice/u }).waitFor();
    expect(await gateway.poolOf("kimi-demo")).toBeDefined();
  });

  test("turn strict after a burst, say why bob still passes, and why alice does not", async () => {
    const { gateway, page } = await opened();
    await gateway.plan([{ unit: "requests", window: "hourly", limit: 20 }]);
    for (let i = 0; i < 10; i += 1) await (await gateway.ask("alice")).text();
    await gateway.quiet();
    expect((await gateway.ask("alice")).status).toBe(429);
    await page.goto(`${gateway.url}${POOLS}`);
    const card = page.getByRole("region", { name: "Pool Demo team" });
    await card.getByText("strict").first().waitFor();
    await card
      .getByRole("img", { name: /requests per hour: 50% of 20 requests used; .*alice.* 10 requests/u })
      .waitFor();
    const alice = card.getByRole("row", { name: /alice/u });
    expect(await alice.textContent()).toMatch(/alice.*hard.*10.*0.*10.*0 left.*blocked.*0/u);

    await card.getByRole("row", { name: /bob/u }).getByRole("button", { name: /Why/u }).click();
    const dialog = page.getByRole("dialog", { name: "Why?" });
    await dialog.getByText(/bob.* may go on\./u).waitFor();
    await dialog
      .getByText(/used 0 of its share of 6 requests: whoever has not used up its share passes/u)
      .waitFor();
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });

    await card.getByRole("tab", { name: "Recent decisions" }).click();
    const refused = card
      .getByRole("region", { name: "Recent decisions" })
      .getByRole("row", { name: /alice/u });
    expect(await refused.textContent()).toMatch(/fair-share.*requests per hour.*10 requests.*10 requests/u);
    await refused.getByRole("button", { name: /Why/u }).click();
    await dialog
      .getByText(/alice.* is refused in requests per hour: the pool is strict, and its share is used up\./u)
      .waitFor();
    await page.keyboard.press("Escape");
    await card.getByLabel("Decisions of which key").selectOption("bob");
    await card.getByText("This key was not refused since the gateway started.").waitFor();
    await expect
      .poll(() => page.getByText("Refused in the last hour").locator("xpath=..").textContent())
      .toMatch(/hour1$/u);
  });

  test("tell how fast they are used, once there are two samples", async () => {
    const time = { now: Date.UTC(2026, 0, 15, 12, 5) };
    const { gateway, page } = await opened({ now: () => time.now });
    await gateway.plan([{ unit: "requests", window: "hourly", limit: 200 }]);
    await page.goto(`${gateway.url}${POOLS}`);
    const card = page.getByRole("region", { name: "Pool Demo team" });
    await card.getByRole("tab", { name: "Burn rate" }).click();
    await card.getByText(/No data yet/u).waitFor();
    for (let i = 0; i < 3; i += 1) {
      time.now += 10_000;
      for (let n = 0; n < 5; n += 1) await (await gateway.ask("alice")).text();
      await gateway.quiet();
    }
    await page.reload();
    await card.getByRole("tab", { name: "Burn rate" }).click();
    await card.getByText(/requests per hour; at this rate used up in/u).waitFor();
    await card.locator("svg.recharts-surface path.recharts-line-curve").first().waitFor();
    await card.getByText("As a table").click();
    await expect.poll(() => card.getByRole("table").getByRole("row").count()).toBeGreaterThan(3);
  });

  test("of hostile names are text, of keys too", async () => {
    const { gateway, page } = await opened();
    const hostile = `<img src=x onerror="document.title='owned'">\u202Egnp.exe`;
    await gateway.admin("POST", "/api/keys", { id: hostile });
    const { id } = await gateway.poolOf("kimi-demo");
    const changed = await gateway.admin("PATCH", `/api/quota/pools/${id}`, {
      name: hostile.repeat(5).slice(0, 200),
      allocations: [{ apiKeyId: hostile, weight: 50 }],
    });
    expect(changed.status, await changed.text()).toBe(200);
    await page.goto(`${gateway.url}${POOLS}`);
    await page.getByRole("rowheader", { name: "<img src=x onerror=" }).waitFor();
    expect(await page.locator("img").count()).toBe(0);
    expect(await page.title()).toBe("Pools · @quota");
    expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
  });

  test("of two hundred keys are filtered, and one key keeps its colour everywhere", async () => {
    const { gateway, page } = await opened();
    const ids = Array.from({ length: 197 }, (_, i) => `key-${String(i).padStart(3, "0")}`);
    await Promise.all(ids.map((id) => gateway.admin("POST", "/api/keys", { id })));
    const { id } = await gateway.poolOf("kimi-demo");
    const allocations = [...ids, "alice", "bob", "carol"].map((apiKeyId) => ({ apiKeyId, weight: 0.5 }));
    await gateway.admin("PATCH", `/api/quota/pools/${id}`, { allocations });
    await page.goto(`${gateway.url}${POOLS}`);
    const card = page.getByRole("region", { name: "Pool Demo team" });
    await card.getByText("200 of 200 keys").waitFor();
    const colourOf = (within: ReturnType<typeof page.locator>) =>
      within
        .locator("[data-pattern]")
        .first()
        .evaluate((element) => getComputedStyle(element).backgroundColor);
    await card.getByLabel(/Only keys/u).fill("alice");
    await card.getByText("1 of 200 keys").waitFor();
    const here = await colourOf(card.getByRole("row", { name: /alice/u }));
    const seat = page.getByRole("region", { name: "Pool Codex seat" });
    await seat.scrollIntoViewIfNeeded();
    expect(await colourOf(seat.getByRole("row", { name: /alice/u }))).toBe(here);
    await gateway.admin("DELETE", "/api/keys/bob");
    await page.reload();
    expect(await colourOf(seat.getByRole("row", { name: /alice/u }))).toBe(here);
  });

  test("are asked for every five seconds while they are looked at, and not while the tab is hidden", async () => {
    const { page, gateway } = await opened({}, withClock(openAlone));
    await page.goto(`${gateway.url}${POOLS}`);
    const card = page.getByRole("region", { name: "Pool Demo team" });
    await card.getByRole("row", { name: /alice/u }).waitFor();
    const asked: string[] = [];
    page.on("request", (request) => void asked.push(request.url()));
    const usages = (): number => asked.filter((url) => url.endsWith("/usage")).length;
    await page.clock.runFor(6_000);
    await expect.poll(usages).toBeGreaterThan(0);
    const hide = (state: string) =>
      page.evaluate((to) => {
        Object.defineProperty(document, "visibilityState", { value: to, configurable: true });
        document.dispatchEvent(new Event("visibilitychange"));
      }, state);
    await hide("hidden");
    await page.clock.runFor(1_000);
    // What was asked before that is heard of before this.
    await page.evaluate(() => fetch("/healthz").then((answer) => answer.text()));
    await expect.poll(() => asked.some((url) => url.endsWith("/healthz"))).toBe(true);
    asked.length = 0;
    await page.clock.runFor(60_000);
    await page.evaluate(() => fetch("/metrics").then((answer) => answer.text()));
    await expect.poll(() => asked.some((url) => url.endsWith("/metrics"))).toBe(true);
    expect(asked.filter((url) => url.includes("/api/"))).toEqual([]);
    await hide("visible");
    await page.clock.runFor(6_000);
    await expect.poll(usages).toBeGreaterThan(0);
  });

  test("stay on the page while the gateway does not answer, which is said, and go on when it does", async () => {
    const { page, gateway, expectFault } = await opened({}, withClock(openAlone));
    expectFault(/ERR_FAILED/u);
    await page.goto(`${gateway.url}${POOLS}`);
    const row = page.getByRole("region", { name: "Pool Demo team" }).getByRole("row", { name: /alice/u });
    await row.waitFor();
    await page.route("**/api/**", (route) => route.abort());
    await page.clock.runFor(6_000);
    await page.getByText(/does not answer. What you see/u).waitFor();
    expect(await row.isVisible()).toBe(true);
    await page.unroute("**/api/**");
    await page.clock.runFor(6_000);
    await page.getByText(/does not answer. What you see/u).waitFor({ state: "detached" });
  });

  test("come with the first 150 kB, compressed, and what is needed later comes later", async () => {
    const { page, gateway } = await opened({}, openAlone);
    let bytes = 0;
    const names: string[] = [];
    page.on("response", (response) => {
      if (!response.url().includes("/dashboard")) return;
      names.push(response.url());
      void response
        .request()
        .sizes()
        .then(({ responseBodySize }) => (bytes += responseBodySize));
    });
    await page.setExtraHTTPHeaders({ "accept-encoding": "gzip" });
    await page.goto(`${gateway.url}${POOLS}`);
    await page.getByRole("region", { name: "Pool Demo team" }).getByRole("row", { name: /alice/u }).waitFor();
    await page.getByRole("heading", { name: "Try it: simulated clients" }).waitFor();
    await page.waitForLoadState("networkidle");
    expect(names.filter((name) => /BurnRateChart|PlansPage/u.test(name))).toEqual([]);
    expect(names.length).toBeGreaterThan(2);
    await expect.poll(() => bytes).toBeGreaterThan(50_000);
    expect(bytes).toBeLessThan(150_000);
  });
});
