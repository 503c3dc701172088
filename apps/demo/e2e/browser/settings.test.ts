import { startRedisServer } from "@quota/local-redis";
import { describeWithRedis } from "@quota/local-redis/vitest";
import { expect, inject, onTestFinished, test } from "vitest";
import { openRedis } from "../../server/quotaStore/openRedis.js";
import { startTestGateway, type TestGateway } from "../../test/startTestGateway.js";
import { describeInBrowser } from "./describeInBrowser.js";
import { expectAccessible } from "./expectAccessible.js";
import { signIn } from "./signIn.js";
import { withClock } from "./withClock.js";

describeInBrowser("the settings", ({ open, openAlone }) => {
  async function opened(openIt: () => ReturnType<typeof open> = open) {
    const gateway = await startTestGateway({
      webDirectory: inject("webDirectory"),
      openRedis,
      // Redis has a clock of its own, and both have to mean the same window.
      now: Date.now,
    });
    const { page, expectFault } = await openIt();
    await signIn(page, gateway);
    await page.goto(`${gateway.url}/dashboard/settings`);
    await page.getByRole("form", { name: "Threshold, in percent of a limit" }).waitFor();
    await page.getByRole("form", { name: "Change the quota store" }).waitFor();
    return { gateway, page, expectFault };
  }

  describeWithRedis("with a Redis", () => {
    test("to Redis and back while traffic flows: it works, no request fails, and none is lost", async () => {
      const redis = await startRedisServer({ settings: ["--requirepass", "hunter2"] });
      onTestFinished(() => redis.stop());
      const address = `redis://:hunter2@127.0.0.1:${redis.port}/0`;
      const { gateway, page } = await opened();
      await gateway.plan([{ unit: "requests", window: "daily", limit: 100_000, anchor: "first-use" }]);
      const traffic = startTraffic(gateway);
      await traffic.some();

      await page.getByLabel("Count in").selectOption("redis");
      await page.getByLabel("Redis address").fill(address);
      await page.getByRole("button", { name: "Test the connection" }).click();
      await page.getByText(/(redis|valkey) \d[\d.]* answered within [\d,]+ ms/).waitFor();
      await page.getByRole("button", { name: "Save" }).first().click();
      await page.getByText("Redis counts from now on. The live counters went along").waitFor();
      await page.getByText("an address is set", { exact: true }).waitFor();
      expect(await page.getByLabel("Redis address").inputValue()).toBe("");
      expect(await page.content()).not.toContain("hunter2");
      expect(await store(gateway)).toMatchObject({ driver: "redis", source: "database", serving: "redis" });
      await traffic.some();

      await page.getByLabel("Count in").selectOption("sqlite");
      await page.getByRole("button", { name: "Save" }).first().click();
      await page.getByText("SQLite counts from now on.").waitFor();
      expect(await store(gateway)).toMatchObject({ driver: "sqlite", serving: "sqlite", state: "ok" });
      await traffic.some();

      const statuses = await traffic.stop();
      await gateway.quiet();
      expect(new Set(statuses)).toEqual(new Set([200]));
      expect((await gateway.usage()).dimensions[0]).toMatchObject({
        consumedTotal: statuses.length,
        held: 0,
      });
    });
  });

  test("that cannot be are refused in a sentence, and what was typed stays", async () => {
    const { gateway, page, expectFault } = await opened();
    expectFault(/40[09]/);
    await page.getByLabel("Count in").selectOption("redis");
    await page.getByLabel("Redis address").fill("http://swordfish");
    await page.getByRole("button", { name: "Save" }).first().click();
    await page.getByText("must be an address such as redis://localhost:6379").waitFor();
    await page.getByLabel("Redis address").fill("redis://:swordfish@127.0.0.1:1/0");
    await page.getByRole("button", { name: "Test the connection" }).click();
    await page.getByText("does not work").waitFor();
    await page.getByRole("button", { name: "Save" }).first().click();
    await page
      .getByRole("alert")
      .filter({ hasText: /Redis does not answer.*nothing was changed/ })
      .waitFor();
    expect(await page.getByLabel("Redis address").inputValue()).toBe("redis://:swordfish@127.0.0.1:1/0");
    expect(await page.locator("body").innerText()).not.toContain("swordfish");
    await expectAccessible(page);
    expect(await store(gateway)).toMatchObject({ driver: "sqlite", serving: "sqlite" });

    await page.getByLabel("at the next start").check();
    await page.getByRole("button", { name: "Save" }).first().click();
    await page.getByText("Written down. The next start counts in Redis; until then SQLite counts.").waitFor();
    expect(await page.getByLabel("Count in").inputValue()).toBe("sqlite");
  });

  test("of the threshold make a pool strict at once, and go back", async () => {
    const { gateway, page } = await opened();
    const mode = async () => (await gateway.usage()).dimensions[0]!.mode;
    await gateway.plan([{ unit: "requests", window: "daily", limit: 10, anchor: "first-use" }]);
    await (await gateway.ask("alice")).text();
    await gateway.quiet();
    expect(await mode()).toBe("generous");
    const form = page.getByRole("form", { name: "Threshold, in percent of a limit" });
    await form.getByText("In force: 50%, the default.").waitFor();
    await form.getByRole("textbox").fill("7.5");
    await page.keyboard.press("Enter");
    await form.getByText("In force: 7.5%, set here.").waitFor();
    expect(await mode()).toBe("strict");
    await form.getByRole("button", { name: /^Back to/ }).click();
    await form.getByText("In force: 50%, the default.").waitFor();
    expect(await form.getByRole("textbox").inputValue()).toBe("50");
    expect(await mode()).toBe("generous");
  });

  test("are not overwritten while somebody types, on a phone, in the dark; what is out of range says so", async () => {
    const phone = { viewport: { width: 390, height: 844 }, colorScheme: "dark" } as const;
    const { gateway, page, expectFault } = await opened(withClock(() => openAlone(phone)));
    expectFault(/400/);
    const days = page.getByRole("form", { name: "Days that use is kept" });
    await days.getByRole("textbox").fill("9x");
    await gateway.admin("PUT", "/api/settings/sharing", { consumptionRetentionDays: 30 });
    await page.clock.runFor(6_000);
    await days.getByText("In force: 30 days, set here.").waitFor();
    expect(await days.getByRole("textbox").inputValue()).toBe("9x");
    await days.getByRole("button", { name: "Save" }).click();
    await days.getByText("Nothing was written: it must be a number from 0 to 36500.").waitFor();
    expect(await days.getByRole("textbox").inputValue()).toBe("9x");
    const threshold = page.getByRole("form", { name: "Threshold, in percent of a limit" });
    await threshold.getByRole("textbox").fill("120");
    await threshold.getByRole("button", { name: "Save" }).click();
    await threshold.getByText("Nothing was written: it must be a number from 0 to 100.").waitFor();
    await page.getByText("so it has no effect").waitFor();
    await expectAccessible(page);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
    await days.getByRole("button", { name: "Discard" }).click();
    expect(await days.getByRole("textbox").inputValue()).toBe("30");
  });
});

async function store(gateway: TestGateway): Promise<unknown> {
  return (await gateway.admin("GET", "/api/settings/quota-store")).json();
}

/** A client that asks one request after the other until it is stopped. */
function startTraffic(gateway: TestGateway) {
  const statuses: number[] = [];
  let isOn = true;
  async function ask(): Promise<void> {
    while (isOn) {
      const answer = await gateway.ask("alice");
      await answer.text();
      statuses.push(answer.status);
    }
  }
  const client = ask();
  return {
    /** Resolves once some more requests have been answered. */
    async some() {
      const enough = statuses.length + 10;
      await expect.poll(() => statuses.length).toBeGreaterThanOrEqual(enough);
    },
    async stop() {
      isOn = false;
      await client;
      return statuses;
    },
  };
}
