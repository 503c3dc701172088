import type { Page } from "playwright-core";
import { expect, inject, test } from "vitest";
import { startTestGateway, type TestGateway } from "../../test/startTestGateway.js";
import { describeInBrowser } from "./describeInBrowser.js";
import { expectAccessible } from "./expectAccessible.js";
import { signIn } from "./signIn.js";

const PLANS = "/dashboard/costs/quota-share/plans";
const KIMI = `${PLANS}?connection=kimi-demo`;

describeInBrowser("the plans", ({ open }) => {
  async function opened(path: string, options?: Parameters<typeof open>[0]) {
    const gateway = await startTestGateway({ webDirectory: inject("webDirectory") });
    const { page, expectFault } = await open(options);
    await signIn(page, gateway);
    await page.goto(`${gateway.url}${path}`);
    return { gateway, page, expectFault };
  }

  test("are chosen from a list that says where each comes from, and the address keeps the choice", async () => {
    const { gateway, page } = await opened(PLANS);
    const list = page.getByRole("navigation", { name: "Connections" });
    await list.getByRole("link", { name: "kimi-demo" }).filter({ hasText: "known for kimi" }).waitFor();
    await page.getByText("Choose a connection").waitFor();
    await list.getByRole("link", { name: "codex-demo" }).click();
    expect(page.url()).toBe(`${gateway.url}${PLANS}?connection=codex-demo`);
    await page.getByRole("row", { name: /100% week/ }).waitFor();
    await page.reload();
    await page.getByRole("heading", { name: "codex-demo" }).waitFor();
    await page.goto(`${gateway.url}${PLANS}?connection=gone`);
    await page.getByText("There is no such connection").waitFor();
  });

  test("are overridden after a preview, and reverted after another", async () => {
    const { gateway, page, expectFault } = await opened(KIMI);
    expectFault(/400/);
    await page.getByRole("button", { name: "Edit dimensions" }).click();
    await page.getByLabel("Limit").fill("0");
    await page.getByRole("button", { name: "Preview" }).click();
    await page.getByText('must be above 0; write "unknown" for a limit that is not known.').waitFor();
    expect(await page.getByLabel("Limit").getAttribute("aria-invalid")).toBe("true");
    await expectAccessible(page);

    await page.getByLabel("Limit").fill("100");
    await page.getByRole("button", { name: "Preview" }).click();
    await page.getByText("1,500 requests → 100 requests").waitFor();
    expect(await rows(page)).toEqual([
      "alice 0 750 → 50 within its share",
      "bob 0 450 → 30 within its share",
      "carol 0 300 → 20 within its share",
    ]);
    expect(await planOf(gateway)).toMatchObject({ source: "catalog" });
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Saved. This is the plan as it is now.").waitFor();
    await page.getByRole("row", { name: /100 requests hour/ }).waitFor();
    expect(await planOf(gateway)).toMatchObject({ source: "manual", dimensions: [{ limit: 100 }] });

    await page.getByRole("button", { name: "Revert…" }).click();
    const dialog = page.getByRole("dialog", { name: "Take back the plan that was set here?" });
    await dialog.getByText("100 requests → 1,500 requests").waitFor();
    await dialog.getByText("Then: known for kimi.").waitFor();
    await expectAccessible(page);
    await dialog.getByRole("button", { name: "Keep it" }).click();
    expect(await planOf(gateway)).toMatchObject({ source: "manual" });
    await page.getByRole("button", { name: "Revert…" }).click();
    await dialog.getByRole("button", { name: "Revert" }).click();
    await page.getByText("Reverted. This is the plan as it is now.").waitFor();
    await page.getByRole("row", { name: /1,500 requests hour/ }).waitFor();
    expect(await planOf(gateway)).toMatchObject({ source: "catalog" });
  });

  test("say before they are saved who would be over", async () => {
    const { gateway, page } = await opened(KIMI);
    for (let i = 0; i < 3; i += 1) await (await gateway.ask("alice")).text();
    await gateway.quiet();
    await page.getByRole("button", { name: "Edit dimensions" }).click();
    await page.getByLabel("Limit").fill("4");
    await page.getByRole("button", { name: "Preview" }).click();
    await page.getByText("One key would be over its share").waitFor();
    expect(await rows(page)).toEqual([
      "alice 3 750 → 2 over by 1",
      "bob 0 450 → 1 within its share",
      "carol 0 300 → 0 within its share",
    ]);
  });

  test("of two editors lose nothing: the second sees what the first made of it, and decides", async () => {
    const { gateway, page, expectFault } = await opened(KIMI);
    expectFault(/412/);
    await page.getByRole("button", { name: "Edit dimensions" }).click();
    await page.getByLabel("Limit").fill("700");
    await page.getByRole("button", { name: "Preview" }).click();
    await page.getByText("1,500 requests → 700 requests").waitFor();
    await gateway.plan([{ unit: "requests", window: "hourly", limit: 900 }]);
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Somebody else has changed this plan since you began.").waitFor();
    await page.getByRole("row", { name: /900 requests hour/ }).waitFor();
    expect(await page.getByLabel("Limit").inputValue()).toBe("700");
    expect(await planOf(gateway)).toMatchObject({ dimensions: [{ limit: 900 }] });
    await page.getByRole("button", { name: "Keep mine" }).click();
    await page.getByRole("button", { name: "Preview" }).click();
    await page.getByText("900 requests → 700 requests").waitFor();
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Saved.").waitFor();
    expect(await planOf(gateway)).toMatchObject({ dimensions: [{ limit: 700 }] });
  });

  test("keep what is typed while another page is looked at, and forget it when told to", async () => {
    const { page } = await opened(KIMI);
    await page.getByRole("button", { name: "Edit dimensions" }).click();
    await page.getByLabel("Limit").fill("70x");
    await page.getByRole("link", { name: "Settings" }).click();
    await page.getByRole("heading", { name: "Quota store" }).waitFor();
    await page.getByRole("link", { name: "Plans", exact: true }).click();
    await page.getByRole("link", { name: /kimi-demo.*not saved/ }).click();
    expect(await page.getByLabel("Limit").inputValue()).toBe("70x");
    await page.getByRole("button", { name: "Discard" }).click();
    await page.getByRole("row", { name: /1,500 requests hour/ }).waitFor();
    expect(await page.getByText("not saved").count()).toBe(0);
  });

  test("with the keyboard alone, on a phone, in the dark: a month of a calendar, and one that is a length", async () => {
    const { gateway, page, expectFault } = await opened(KIMI, {
      viewport: { width: 390, height: 844 },
      colorScheme: "dark",
    });
    expectFault(/400/);
    const press = async (name: string) => {
      await page.getByRole("button", { name, exact: true }).focus();
      await page.keyboard.press("Enter");
    };
    await page.getByRole("button", { name: "Edit dimensions" }).waitFor();
    await press("Edit dimensions");
    await press("Remove dimension 1");
    await page.getByText("No dimension is left").waitFor();
    // The focus went where one goes on.
    await page.keyboard.press("Enter");
    await page.keyboard.press("Shift+Tab");
    const added = page.getByRole("group", { name: "Dimension 1" });
    await added.getByLabel("Limit").fill("0.5");
    await added.getByLabel("Unit").selectOption("usd");
    await added.getByText("$0.50").waitFor();
    await added.getByLabel("Window", { exact: true }).selectOption("monthly");
    await page.getByText("a length of 30 days, not a calendar month").waitFor();
    await added.getByText("How the window runs").focus();
    await page.keyboard.press("Enter");
    await added.getByLabel("It starts").selectOption("calendar");
    await added.getByLabel("Time zone").fill("Europe/Atlantis");
    expect(await page.getByText("a length of 30 days").count()).toBe(0);
    await press("Preview");
    await added.getByText("names a time zone that is not known here").waitFor();
    await added.getByLabel("Time zone").fill("Europe/Paris");
    await press("Preview");
    await page.getByRole("heading", { name: /usd per calendar month/ }).waitFor();
    await expectAccessible(page);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
    await press("Save");
    await page.getByText("fixed, on the calendar of Europe/Paris").waitFor();
    expect(await planOf(gateway)).toMatchObject({
      source: "manual",
      dimensions: [{ unit: "usd", window: "monthly", limit: 0.5, anchor: { calendar: "Europe/Paris" } }],
    });
    await page.getByRole("link", { name: "All connections" }).click();
    await page.getByRole("link", { name: "kimi-demo" }).filter({ hasText: "set here" }).waitFor();
  });

  test("that would leave a cap without a window are refused in a sentence", async () => {
    const { gateway, page, expectFault } = await opened(KIMI);
    expectFault(/400/);
    const { id } = await gateway.poolOf("kimi-demo");
    const capped = [{ apiKeyId: "alice", weight: 50, capValue: 5, capUnit: "requests" }];
    await gateway.admin("PATCH", `/api/quota/pools/${id}`, { allocations: capped });
    await page.getByRole("button", { name: "Edit dimensions" }).click();
    await page.getByLabel("Unit").selectOption("tokens");
    await page.getByRole("button", { name: "Preview" }).click();
    await page.getByRole("alert").filter({ hasText: "would hold nowhere" }).waitFor();
    expect(await page.getByLabel("Unit").inputValue()).toBe("tokens");
  });

  test("show 200 keys: those who matter at once, and all of them when asked", async () => {
    const { gateway, page } = await opened(PLANS);
    const { id } = await gateway.poolOf("kimi-demo");
    const allocations = Array.from({ length: 200 }, (_, i) => ({ apiKeyId: `key-${i}`, weight: 0.5 }));
    expect((await gateway.admin("PATCH", `/api/quota/pools/${id}`, { allocations })).status).toBe(200);
    await page.goto(`${gateway.url}${KIMI}`);
    await page.getByRole("button", { name: "Edit dimensions" }).click();
    await page.getByLabel("Limit").fill("3000");
    await page.getByRole("button", { name: "Preview" }).click();
    await page.getByText("1,500 requests → 3,000 requests").waitFor();
    expect(await rows(page)).toHaveLength(10);
    await page.getByRole("button", { name: "All 200 keys" }).click();
    expect((await rows(page)).at(-1)).toBe("key-199 0 7 → 15 within its share");
    expect(await rows(page)).toHaveLength(200);
  });
});

/** The rows of the one table of a preview, each cell as it is read. */
function rows(page: Page): Promise<readonly string[]> {
  return page
    .getByRole("region", { name: /^Keys: / })
    .locator("tbody tr")
    .evaluateAll((found) =>
      (found as HTMLElement[]).map((row) =>
        row.innerText
          .replace(/[●▲■○]/gu, "")
          .split(/\s+/u)
          .join(" "),
      ),
    );
}

async function planOf(gateway: TestGateway): Promise<unknown> {
  return (await gateway.admin("GET", "/api/quota/plans/kimi-demo")).json();
}
