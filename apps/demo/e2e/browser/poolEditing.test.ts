import type { Locator, Page } from "playwright-core";
import { expect, inject, test } from "vitest";
import { startTestGateway, type TestGateway } from "../../test/startTestGateway.js";
import { describeInBrowser, type BrowserSuite } from "./describeInBrowser.js";
import { expectAccessible } from "./expectAccessible.js";
import { signIn } from "./signIn.js";

const POOLS = "/api/quota/pools";

describeInBrowser("pools are made, edited and deleted", ({ open }) => {
  test("a new one starts as an equal split, refuses more than 100 at once, and asks with the keyboard alone", async () => {
    const { page, gateway } = await pools(open);
    await removePool(gateway, "codex-demo");
    let posts = 0;
    page.on("request", (request) => void (posts += Number(request.method() === "POST")));
    await page.goto(`${gateway.url}/dashboard/costs/quota-share`);
    await page.getByRole("button", { name: "Create pool" }).focus();
    await page.keyboard.press("Enter");
    const dialog = page.getByRole("dialog", { name: "New pool" });
    // The only connection without a pool is chosen, and lends its name.
    await expect.poll(() => dialog.getByLabel("Name", { exact: true }).inputValue()).toBe("codex-demo");
    const weights = dialog.getByLabel(/^Weight of /);
    expect(await valuesOf(weights)).toEqual(["33.33", "33.33", "33.33"]);
    await dialog.getByText("0.01% unallocated").waitFor();
    await expectAccessible(page);

    await tabTo(page, dialog.getByLabel("Weight of alice, in percent"));
    await page.keyboard.type("80");
    await dialog.getByText("46.66% too much: lower the weights to 100% or less.").waitFor();
    await page.keyboard.press("Enter");
    expect(posts).toBe(0);
    await page.keyboard.press("Control+A");
    await page.keyboard.type("12,5");
    await dialog.getByText("20.84% unallocated").waitFor();
    await page.keyboard.press("Enter");
    await expect.poll(() => dialog.count()).toBe(0);
    expect(await poolOf(gateway, "codex-demo")).toMatchObject({
      name: "codex-demo",
      unallocated: "borrow",
      allocations: [
        { apiKeyId: "alice", weight: 12.5 },
        { apiKeyId: "bob", weight: 33.33 },
        { apiKeyId: "carol", weight: 33.33 },
      ],
    });
  });

  test("where every connection has one, it says so and leads to the connections", async () => {
    const { page, gateway } = await pools(open);
    await page.goto(`${gateway.url}/dashboard/costs/quota-share`);
    await page.getByRole("button", { name: "Create pool" }).click();
    const dialog = page.getByRole("dialog", { name: "New pool" });
    await dialog.getByText("Every connection has a pool").waitFor();
    await dialog.getByRole("link", { name: "To the connections" }).click();
    await page.waitForURL("**/dashboard/connections");
  });

  test("what the gateway refuses stands at its field, and nothing typed is lost", async () => {
    const { page, gateway, expectFault } = await pools(open);
    expectFault(/400/);
    const dialog = await editing(page, gateway, "Demo team");
    await dialog.getByRole("checkbox", { name: "bob" }).uncheck();
    await dialog.getByLabel("Weight of alice, in percent").fill("44.5");
    await dialog.getByRole("button", { name: "Cap of carol" }).click();
    await dialog.getByLabel("Cap of carol, empty for none").fill("2.5");
    await dialog.getByLabel("Unit of the cap of carol").selectOption("usd");
    await dialog.getByLabel("Shares bind from").fill("60");
    await dialog.getByRole("button", { name: "Save" }).click();
    const carol = dialog.getByRole("listitem").filter({ has: page.getByLabel("Weight of carol") });
    await carol.getByText("The cap’s window is missing: the plan has no dimension in usd").waitFor();
    expect(await dialog.getByLabel("Weight of alice, in percent").inputValue()).toBe("44.5");
    await dialog.getByLabel("Window of the cap of carol").selectOption("daily");
    await dialog.getByRole("button", { name: "Save" }).click();
    await expect.poll(() => dialog.count()).toBe(0);
    expect(await poolOf(gateway, "kimi-demo")).toMatchObject({
      saturationThreshold: 0.6,
      allocations: [
        { apiKeyId: "alice", weight: 44.5 },
        { apiKeyId: "carol", weight: 20, capValue: 2.5, capUnit: "usd", capWindow: "daily" },
      ],
    });
  });

  test("an edit of what somebody else has changed is refused, told field by field, and put on top", async () => {
    const { page, gateway, expectFault } = await pools(open);
    expectFault(/412/);
    const dialog = await editing(page, gateway, "Demo team");
    await dialog.getByLabel("Weight of bob, in percent").fill("25");
    await change(gateway, { name: "Renamed", allocations: [weighs("alice", 40), weighs("bob", 10)] });
    await dialog.getByRole("button", { name: "Save" }).click();
    const stale = dialog.getByRole("region", { name: "The pool has changed" });
    await stale.waitFor();
    await expectAccessible(page);
    expect(await rowsOf(stale)).toEqual([
      ["name", "Demo team", "Renamed", ""],
      ["alice weight", "50%", "40%", ""],
      ["bob weight", "30%", "10%", "25 %"],
      ["carol allocation", "20%, hard", "not in the pool", ""],
    ]);
    await stale.getByRole("button", { name: "Keep my edit on top" }).click();
    expect(await dialog.getByLabel("Name", { exact: true }).inputValue()).toBe("Renamed");
    await dialog.getByRole("button", { name: "Save" }).click();
    await expect.poll(() => dialog.count()).toBe(0);
    expect(await poolOf(gateway, "kimi-demo")).toMatchObject({
      name: "Renamed",
      allocations: [weighs("alice", 40), weighs("bob", 25)],
    });
  });

  test("or theirs is taken; and closing asks once what was typed is to be thrown away", async () => {
    const { page, gateway, expectFault } = await pools(open);
    expectFault(/412/);
    const dialog = await editing(page, gateway, "Demo team");
    await dialog.getByLabel("Weight of bob, in percent").fill("25");
    await change(gateway, { allocations: [weighs("bob", 11)] });
    await page.keyboard.press("Escape");
    await dialog.getByText("What you changed is not saved.").waitFor();
    await page.keyboard.press("Enter");
    expect(await dialog.getByLabel("Weight of bob, in percent").inputValue()).toBe("25");
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.getByRole("button", { name: "Take theirs" }).click();
    expect(await valuesOf(dialog.getByLabel(/^Weight of /))).toEqual(["11"]);
    await dialog.getByRole("checkbox", { name: "carol" }).check();
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await dialog.getByRole("button", { name: "Discard it" }).click();
    await expect.poll(() => dialog.count()).toBe(0);
    expect(await poolOf(gateway, "kimi-demo")).toMatchObject({
      version: 2,
      allocations: [weighs("bob", 11)],
    });
  });

  test("of two hundred keys the last is edited, and nothing but its row and the sum is drawn again", async () => {
    const { page, gateway } = await pools(open);
    const keys = Array.from({ length: 200 }, (_, i) => `key-${String(i).padStart(3, "0")}`);
    await Promise.all(keys.map((id) => gateway.admin("POST", "/api/keys", { id, name: id })));
    await change(gateway, { allocations: keys.map((key) => weighs(key, 0.5)) });
    const dialog = await editing(page, gateway, "Demo team");
    await dialog.getByText("200 keys, 100% in sum").waitFor();
    const last = dialog.getByLabel("Weight of key-199, in percent");
    await last.focus();
    const drawn = await page.evaluateHandle(drawnInputs);
    await page.keyboard.press("Control+A");
    await page.keyboard.type("0.25");
    await dialog.getByText("99.75% in sum").waitFor();
    expect(await drawn.evaluate((changed) => changed())).toEqual(["Weight of key-199, in percent"]);
    await dialog.getByLabel("Only keys whose name").fill("key-01");
    await expect.poll(() => dialog.getByRole("listitem").count()).toBe(10);
    await dialog.getByRole("button", { name: "Untick these" }).click();
    await dialog.getByRole("button", { name: "Equal split" }).click();
    await dialog.getByRole("button", { name: "Save" }).click();
    await expect.poll(() => dialog.count()).toBe(0);
    const { allocations } = await poolOf(gateway, "kimi-demo");
    expect(allocations.length).toBe(190);
    expect(new Set(allocations.map(({ weight }) => weight))).toEqual(new Set([0.5263]));
  }, 60_000);

  test("one is deleted by whoever types its name, and one that is gone already counts as deleted", async () => {
    const { page, gateway, expectFault } = await pools(open);
    expectFault(/404/);
    await page.goto(`${gateway.url}/dashboard/costs/quota-share`);
    await card(page, "Codex seat").getByRole("button", { name: "Delete" }).click();
    const dialog = page.getByRole("dialog", { name: "Delete the pool" });
    await dialog.getByText("Nothing limits codex-demo any more.").waitFor();
    await expectAccessible(page);
    const typed = dialog.getByLabel("To delete it, type its name: Codex seat");
    await typed.fill("Codex");
    await page.keyboard.press("Enter");
    await dialog.getByText("That is not the name").waitFor();
    expect(await poolOf(gateway, "codex-demo")).toBeDefined();
    await removePool(gateway, "codex-demo");
    await typed.fill("Codex seat");
    await page.keyboard.press("Enter");
    await expect.poll(() => dialog.count()).toBe(0);
    await expect.poll(() => card(page, "Codex seat").count()).toBe(0);
  });

  test("one of a hostile name is shown as text, and deleted by its id, on a phone in the dark", async () => {
    const gateway = await startTestGateway({ webDirectory: inject("webDirectory") });
    const hostile = `<img src=x onerror="document.title='gone'"> \u202Eפרויקט ${"x".repeat(150)}`;
    await change(gateway, { name: hostile });
    const { page, expectFault } = await open({ viewport: { width: 390, height: 844 }, colorScheme: "dark" });
    // Its use may be asked for once more after it is gone.
    expectFault(/404/);
    await signIn(page, gateway);
    await page.goto(`${gateway.url}/dashboard/costs/quota-share`);
    const shown = page.locator("article, section", { hasText: "<img src=x" }).last();
    for (const [button, title] of [
      ["Edit allocations", "Edit the pool"],
      ["Delete", "Delete the pool"],
    ] as const) {
      await shown.getByRole("button", { name: button }).first().click();
      const dialog = page.getByRole("dialog", { name: title });
      await dialog.getByText("<img src=x").first().waitFor();
      await expectAccessible(page);
      expect(await dialog.evaluate((box) => box.getBoundingClientRect().right <= innerWidth)).toBe(true);
      expect(await dialog.evaluate((box) => box.scrollWidth - box.clientWidth)).toBe(0);
      if (title === "Edit the pool") await dialog.getByRole("button", { name: "Cancel" }).click();
    }
    const { id } = await gateway.poolOf("kimi-demo");
    await page.getByLabel(`To delete it, type its id: ${id}`).fill(id);
    await page.getByRole("button", { name: "Delete the pool" }).click();
    await expect.poll(() => gateway.poolOf("kimi-demo")).toBeUndefined();
    expect(await page.title()).toBe("Pools · @quota");
  });
});

async function pools(open: BrowserSuite["open"]) {
  const gateway = await startTestGateway({ webDirectory: inject("webDirectory") });
  const opened = await open();
  await signIn(opened.page, gateway);
  return { gateway, ...opened };
}

function card(page: Page, name: string): Locator {
  return page.locator("article, section").filter({ has: page.getByRole("heading", { name }) });
}

async function editing(page: Page, gateway: TestGateway, name: string): Promise<Locator> {
  await page.goto(`${gateway.url}/dashboard/costs/quota-share`);
  await card(page, name).getByRole("button", { name: "Edit allocations" }).click();
  return page.getByRole("dialog", { name: "Edit the pool" });
}

async function tabTo(page: Page, target: Locator): Promise<void> {
  for (let presses = 0; presses < 30; presses += 1) {
    if (await target.evaluate((element) => element === document.activeElement)) return;
    await page.keyboard.press("Tab");
  }
  throw new Error("Thirty times Tab did not lead there.");
}

async function valuesOf(inputs: Locator): Promise<readonly string[]> {
  return inputs.evaluateAll((all) => all.map((input) => (input as HTMLInputElement).value));
}

async function rowsOf(table: Locator): Promise<readonly (readonly string[])[]> {
  return table
    .locator("tbody tr")
    .evaluateAll((rows) => rows.map((row) => [...row.children].map((cell) => cell.textContent.trim())));
}

/** The labels of the inputs for weights that have been drawn again when the answer is called: React hands such an input other properties. */
function drawnInputs(): () => readonly string[] {
  const properties = (input: Element): unknown =>
    Object.entries(input).find(([name]) => name.startsWith("__reactProps"))?.[1];
  const inputs = [...document.querySelectorAll("input[aria-label^=Weight]")];
  const before = inputs.map(properties);
  return () =>
    inputs
      .filter((input, i) => before[i] === undefined || properties(input) !== before[i])
      .map((input) => input.getAttribute("aria-label") ?? "");
}

function weighs(apiKeyId: string, weight: number) {
  return { apiKeyId, weight, policy: "hard" };
}

interface SeenPool {
  readonly allocations: readonly { readonly apiKeyId: string; readonly weight: number }[];
}

async function poolOf(gateway: TestGateway, connectionId: string): Promise<SeenPool> {
  return (await gateway.poolOf(connectionId)) as unknown as SeenPool;
}

async function change(gateway: TestGateway, patch: object): Promise<void> {
  const answer = await gateway.admin("PATCH", `${POOLS}/${(await gateway.poolOf("kimi-demo")).id}`, patch);
  expect(answer.status, await answer.text()).toBe(200);
}

async function removePool(gateway: TestGateway, connectionId: string): Promise<void> {
  await gateway.admin("DELETE", `${POOLS}/${(await gateway.poolOf(connectionId)).id}`);
}
