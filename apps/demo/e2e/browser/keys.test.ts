import { expect, inject, test } from "vitest";
import { startTestGateway } from "../../test/startTestGateway.js";
import { describeInBrowser } from "./describeInBrowser.js";
import { expectAccessible } from "./expectAccessible.js";
import { signIn } from "./signIn.js";

describeInBrowser("the keys", ({ open }) => {
  async function opened(options?: Parameters<typeof open>[0]) {
    const gateway = await startTestGateway({ webDirectory: inject("webDirectory") });
    const { page, expectFault } = await open(options);
    await signIn(page, gateway);
    await page.goto(`${gateway.url}/dashboard/keys`);
    await page.getByRole("row", { name: /alice/ }).waitFor();
    /** What a row's menu offers. */
    const choose = async (key: string, item: string) => {
      await page.getByRole("button", { name: `What can be done with ${key}` }).click();
      await page.getByRole("menuitem", { name: item }).click();
    };
    /** Whether the gateway lets a secret through. */
    const works = async (secret: string) => (await gateway.ask(secret)).status;
    return { gateway, page, expectFault, choose, works };
  }

  test("are made with a secret that works and is shown once, rotated, disabled, and enabled again", async () => {
    const { page, choose, works } = await opened();
    await page.getByRole("button", { name: "New key" }).click();
    const form = page.getByRole("dialog", { name: "New key" });
    await form.getByLabel("Name").fill("Dora");
    await form.getByLabel("Id (optional)").fill("dora");
    await form.getByRole("button", { name: "Create key" }).click();

    const shown = page.getByRole("dialog", { name: "The key’s secret" });
    const first = await shown.getByLabel("Secret", { exact: true }).inputValue();
    expect(first).toMatch(/^sk-/);
    expect(await works(first)).toBe(200);
    await expectAccessible(page);
    await shown.getByRole("button", { name: "Done" }).click();
    await shown.getByText("You have not copied it yet").waitFor();
    await shown.getByRole("button", { name: "Back to the secret" }).click();
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await shown.getByRole("button", { name: "Copy secret" }).click();
    await shown.getByRole("button", { name: "Copied" }).waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(first);
    await shown.getByRole("button", { name: "Done" }).click();
    await shown.waitFor({ state: "hidden" });
    expect(await page.content()).not.toContain(first);

    await choose("dora", "Rotate secret…");
    const asked = page.getByRole("dialog", { name: "Rotate the secret" });
    await asked.getByText("The old secret is void at once").waitFor();
    expect(await works(first)).toBe(200);
    await asked.getByRole("button", { name: "Rotate secret" }).click();
    const second = await shown.getByLabel("Secret", { exact: true }).inputValue();
    expect([await works(first), await works(second)]).toEqual([401, 200]);
    await page.keyboard.press("Escape");
    await shown.getByRole("button", { name: "Done" }).click();
    await shown.getByRole("button", { name: "Close without a copy" }).click();

    await choose("dora", "Disable");
    await page.getByRole("row", { name: /dora/ }).getByText("disabled").waitFor();
    expect(await works(second)).toBe(401);
    await choose("dora", "Enable");
    await page.getByRole("row", { name: /dora/ }).getByText("enabled").waitFor();
    expect(await works(second)).toBe(200);
  });

  test("are not edited over somebody else's change: it is told, and what was typed stays", async () => {
    const { gateway, page, expectFault, choose } = await opened();
    expectFault(/412/);
    await gateway.admin("POST", "/api/teams", { id: "search", name: "Search" });
    await page.reload();
    await choose("bob", "Edit…");
    const form = page.getByRole("dialog", { name: "Edit key" });
    await form.getByLabel("Name").fill("Robert");
    await form.getByLabel("Belongs to").selectOption({ label: "Search" });
    await gateway.admin("PATCH", "/api/keys/bob", { name: "Bobby", rpm: 7 });
    await form.getByRole("button", { name: "Save" }).click();
    await form.getByText("Name: was bob, is Bobby now; you typed Robert").waitFor();
    await form.getByText("Requests per minute: was none, is 7 now").waitFor();
    expect(await form.getByLabel("Name").inputValue()).toBe("Robert");
    expect(await form.getByLabel("Requests per minute").inputValue()).toBe("7");
    await expectAccessible(page);
    expect(await (await gateway.admin("GET", "/api/keys/bob")).json()).toMatchObject({ name: "Bobby" });
    await form.getByRole("button", { name: "Save over theirs" }).click();
    await form.waitFor({ state: "hidden" });
    expect(await (await gateway.admin("GET", "/api/keys/bob")).json()).toMatchObject({
      name: "Robert",
      teamId: "search",
      rpm: 7,
    });
  });

  test("are deleted after a question that names the pools with an allocation for them", async () => {
    const { page, choose, works } = await opened();
    await choose("carol", "Delete…");
    const asked = page.getByRole("dialog", { name: "Delete the key" });
    await asked.getByRole("listitem").filter({ hasText: "Demo team" }).waitFor();
    expect(await works("carol")).toBe(200);
    await asked.getByRole("button", { name: "Delete key" }).click();
    await page.getByRole("row", { name: /carol/ }).waitFor({ state: "hidden" });
    expect(await works("carol")).toBe(401);
  });

  test("with hostile names are text, found by the filter, and fit a phone", async () => {
    const { gateway, page } = await opened({ viewport: { width: 390, height: 844 }, colorScheme: "dark" });
    const names = [
      `<img src=x onerror="document.title='Ostrich'">`,
      "\u202egnirts\u202c אבג",
      "x".repeat(256),
    ];
    for (const [i, name] of names.entries())
      expect((await gateway.admin("POST", "/api/keys", { id: `hostile-${i}`, name })).status).toBe(201);
    await page.reload();
    await page.getByText("hostile-2").waitFor();
    expect(await page.locator("tbody bdi").allTextContents()).toEqual(
      expect.arrayContaining([names[0], names[1], `${"x".repeat(160)}…`]),
    );
    expect(await page.title()).toBe("Keys · @quota");
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
    await page.getByRole("searchbox").fill("onerror");
    await page.getByText("1 of 6 keys").waitFor();
    await page.getByRole("searchbox").fill("nobody at all");
    await page.getByText("No key is like that").waitFor();
  });

  test("say what to do where there are none, and where they cannot be read", async () => {
    const { gateway, page, expectFault } = await opened();
    for (const key of ["alice", "bob", "carol"]) await gateway.admin("DELETE", `/api/keys/${key}`);
    await page.reload();
    await page.getByText("There are no keys yet").waitFor();
    expectFault(/503/);
    await page.route("**/api/keys", (route) =>
      route.fulfill({ status: 503, json: { detail: "The database is away." } }),
    );
    await page.reload();
    await page.getByRole("alert").getByText("The database is away.").waitFor();
    await page.unroute("**/api/keys");
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByText("There are no keys yet").waitFor();
  });
});
