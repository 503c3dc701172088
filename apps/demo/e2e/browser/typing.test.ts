import type { Page } from "playwright-core";
import { expect, inject, test } from "vitest";
import { startTestGateway } from "../../test/startTestGateway.js";
import { describeInBrowser } from "./describeInBrowser.js";
import { signIn } from "./signIn.js";
import { withClock } from "./withClock.js";

describeInBrowser("what is typed", ({ open, openAlone }) => {
  async function opened(path: string, openIt: () => ReturnType<typeof open> = open) {
    const gateway = await startTestGateway({ webDirectory: inject("webDirectory") });
    await gateway.admin("POST", "/api/orgs", { id: "acme", name: "Acme" });
    await gateway.admin("POST", "/api/teams", { id: "search", orgId: "acme" });
    await gateway.admin("PATCH", "/api/keys/alice", { teamId: "search" });
    await gateway.admin("PATCH", "/api/keys/bob", { orgId: "acme" });
    const { page, expectFault } = await openIt();
    await signIn(page, gateway);
    await page.goto(`${gateway.url}${path}`);
    const read = async (of: string) => (await gateway.admin("GET", of)).json() as Promise<unknown>;
    return { gateway, page, expectFault, read };
  }

  test("in a line while it is saved stays, and is saved after it", async () => {
    const { page, read } = await opened("/dashboard/rates");
    const release = await hold(page, "**/api/keys/alice");
    await page.getByLabel("Requests per minute of alice").fill("60");
    await page.keyboard.press("Enter");
    const tokens = page.getByLabel("Tokens per minute of alice");
    await tokens.fill("900");
    const rates = page.waitForResponse("**/api/rates");
    release();
    await rates;
    await expect.poll(() => read("/api/keys/alice")).toMatchObject({ rpm: 60, tpm: null });
    await page.getByRole("button", { name: "Save" }).and(page.locator(":not([aria-busy=true])")).waitFor();
    expect(await tokens.inputValue()).toBe("900");
    await tokens.press("Enter");
    await expect.poll(() => read("/api/keys/alice")).toMatchObject({ rpm: 60, tpm: 900 });
    await page.getByRole("button", { name: "Save" }).waitFor({ state: "hidden" });
  });

  test("in a form while it is saved keeps the form open", async () => {
    const { page, read } = await opened("/dashboard/keys");
    await choose(page, "alice", "Edit…");
    const form = page.getByRole("dialog", { name: "Edit key" });
    const release = await hold(page, "**/api/keys/alice");
    await form.getByLabel("Name").fill("Alice");
    await page.keyboard.press("Enter");
    await form.getByLabel("Requests per minute").fill("7");
    release();
    await expect.poll(() => read("/api/keys/alice")).toMatchObject({ name: "Alice", rpm: null });
    await expect.poll(() => form.getByRole("button", { name: "Save" }).isEnabled()).toBe(true);
    expect(await form.getByLabel("Name").inputValue()).toBe("Alice");
    await form.getByRole("button", { name: "Save" }).click();
    await form.waitFor({ state: "hidden" });
    expect(await read("/api/keys/alice")).toMatchObject({ name: "Alice", rpm: 7 });
  });

  test("as a setting while another is saved stays", async () => {
    const { page, read } = await opened("/dashboard/settings");
    const release = await hold(page, "**/api/settings/sharing");
    const days = page.getByRole("form", { name: "Days that use is kept" });
    await days.getByRole("textbox").fill("30");
    await page.keyboard.press("Enter");
    await days.getByRole("textbox").fill("40");
    release();
    await days.getByText("In force: 30 days, set here.").waitFor();
    expect(await days.getByRole("textbox").inputValue()).toBe("40");
    expect(await read("/api/settings/sharing")).toMatchObject({ consumptionRetentionDays: { value: 30 } });
  });

  test("as an address of Redis is not sent with SQLite", async () => {
    const { page } = await opened("/dashboard/settings");
    await page.getByLabel("Count in").selectOption("redis");
    await page.getByLabel("Redis address").fill("redis://:swordfish@127.0.0.1:1/0");
    await page.getByLabel("Count in").selectOption("sqlite");
    const put = page.waitForRequest((request) => request.method() === "PUT");
    await page.getByRole("button", { name: "Save" }).first().click();
    expect((await put).postDataJSON()).toEqual({ driver: "sqlite", takesEffect: "now" });
    await page.getByText("Saved. SQLite counts, as before.").waitFor();
  });

  test("wrongly is told at its field, and below where it has none", async () => {
    const { page, expectFault } = await opened("/dashboard/keys");
    expectFault(/400/);
    const errors = [
      { path: "name", message: "name is taken." },
      { path: "owner", message: "owner is unknown." },
    ];
    await page.getByRole("button", { name: "New key" }).click();
    await page.route("**/api/keys", (route) =>
      route.request().method() === "POST"
        ? route.fulfill({ status: 400, json: { detail: "2 things are wrong.", errors } })
        : route.continue(),
    );
    const form = page.getByRole("dialog", { name: "New key" });
    await form.getByLabel("Name").fill("Dora");
    await form.getByRole("button", { name: "Create key" }).click();
    await form.getByText("owner is unknown.").waitFor();
    expect(await form.getByText("name is taken.").count()).toBe(1);
  });

  test("as a limit stays to be seen when its branch closes, and when there are many keys all at once", async () => {
    const { gateway, page } = await opened("/dashboard/rates", withClock(openAlone));
    const alice = page.getByLabel("Requests per minute of alice");
    const bob = page.getByLabel("Requests per minute of bob");
    await alice.fill("60");
    await page.getByRole("button", { name: "Close Acme" }).click();
    await bob.waitFor({ state: "hidden" });
    expect(await alice.inputValue()).toBe("60");
    await page.getByRole("button", { name: "Open Acme" }).click();
    await bob.waitFor();
    await alice.press("Escape");
    const carol = page.getByLabel("Requests per minute of carol");
    await carol.fill("8");
    const keys = Array.from({ length: 50 }, (_, i) => gateway.admin("POST", "/api/keys", { id: `key-${i}` }));
    await Promise.all(keys);
    await page.clock.runFor(6_000);
    await page.getByText("key-49", { exact: true }).waitFor();
    expect(await carol.inputValue()).toBe("8");
  });

  test("is not thrown away by Cancel or ✕ unasked", async () => {
    const { page } = await opened("/dashboard/rates");
    await page.getByRole("button", { name: "New organisation" }).click();
    const form = page.getByRole("dialog", { name: "New organisation" });
    await form.getByLabel("Tokens per minute").fill("5000");
    await form.getByRole("button", { name: "Close" }).click();
    await form.getByText("What you changed is not saved.").waitFor();
    await form.getByRole("button", { name: "Keep editing" }).click();
    expect(await form.getByLabel("Tokens per minute").inputValue()).toBe("5000");
    await form.getByRole("button", { name: "Cancel" }).click();
    await form.getByRole("button", { name: "Discard it" }).click();
    await form.waitFor({ state: "hidden" });
  });

  test("meets credentials that somebody else has replaced, and says so", async () => {
    const { gateway, page, expectFault } = await opened("/dashboard/connections");
    expectFault(/412/);
    await choose(page, "codex-demo", "Edit…");
    const form = page.getByRole("dialog", { name: "Edit connection" });
    await form.getByLabel("Models").fill("typed-here");
    await gateway.admin("PATCH", "/api/connections/codex-demo", { auth: { kind: "none" } });
    await form.getByRole("button", { name: "Save" }).click();
    await form.getByText("they changed what it does not show, such as credentials").waitFor();
    expect(await form.getByLabel("Models").inputValue()).toBe("typed-here");
  });
});

/** Keeps the gateway's answer to changes of one path back until they are released. */
async function hold(page: Page, path: string): Promise<() => void> {
  let release: () => void = () => undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  await page.route(path, async (route) => {
    if (route.request().method() !== "GET") await released;
    await route.continue();
  });
  return release;
}

async function choose(page: Page, row: string, item: string): Promise<void> {
  await page.getByRole("button", { name: `What can be done with ${row}` }).click();
  await page.getByRole("menuitem", { name: item }).click();
}
