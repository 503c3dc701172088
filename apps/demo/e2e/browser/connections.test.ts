import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, inject, test } from "vitest";
import { startTestGateway, type TestGateway } from "../../test/startTestGateway.js";
import { temporaryDirectory } from "../../test/temporaryDirectory.js";
import { describeInBrowser } from "./describeInBrowser.js";
import { expectAccessible } from "./expectAccessible.js";
import { signIn } from "./signIn.js";

describeInBrowser("the connections", ({ open }) => {
  async function opened(
    options?: Parameters<typeof open>[0],
    prepare?: (gateway: TestGateway) => Promise<void>,
  ) {
    const dataDir = temporaryDirectory();
    const gateway = await startTestGateway({ webDirectory: inject("webDirectory"), dataDir });
    await prepare?.(gateway);
    const { page, expectFault } = await open(options);
    await signIn(page, gateway);
    await page.goto(`${gateway.url}/dashboard/connections`);
    await page.getByRole("row", { name: /kimi-demo/ }).waitFor();
    const choose = async (id: string, item: string) => {
      await page.getByRole("button", { name: `What can be done with ${id}` }).click();
      await page.getByRole("menuitem", { name: item }).click();
    };
    return { gateway, page, expectFault, choose, dataDir };
  }

  test("are listed with where they lead, what they serve, and the pool that governs them", async () => {
    const { page } = await opened();
    await page
      .getByRole("row", {
        name: /codex-demo codex built-in simulator as codex gpt-codex-simulated openai Codex seat/,
      })
      .waitFor();
    await page.getByRole("row", { name: /kimi-demo kimi built-in simulator every model/ }).waitFor();
    await page.getByRole("link", { name: "Codex seat" }).click();
    expect(new URL(page.url()).pathname).toBe("/dashboard/costs/quota-share");
  });

  test("are made with a secret from a file, and faults are told at their fields", async () => {
    const { gateway, page, expectFault, dataDir } = await opened();
    expectFault(/400/);
    await page.getByRole("button", { name: "New connection" }).click();
    const form = page.getByRole("dialog", { name: "New connection" });
    await form.getByLabel("Id", { exact: true }).fill("second");
    await form.getByLabel("Provider").fill("openai");
    await form.getByLabel("Address").fill("ftp://example.com");
    await form.getByLabel("Command", { exact: true }).check();
    await form.getByText("run any command as its own user").waitFor();
    await form.getByRole("button", { name: "Create connection" }).click();
    await form.getByText("baseUrl must begin with https:// or http://.").waitFor();
    await form.getByText("command must name a program.").waitFor();
    // Whoever was refused is where the first fault is.
    await expect
      .poll(() => form.getByLabel("Address").evaluate((field) => field === document.activeElement))
      .toBe(true);
    await expectAccessible(page);

    const file = join(dataDir, "token");
    await writeFile(file, "a-token-of-a-file\n");
    await form.getByLabel("Address").fill("simulator/openai");
    await form.getByLabel("Models").fill("model-of-second");
    await form.getByLabel("File", { exact: true }).check();
    await form.getByRole("textbox", { name: "File", exact: true }).fill(file);
    await form.getByRole("button", { name: "Create connection" }).click();
    await page
      .getByRole("row", {
        name: /second openai built-in simulator as openai model-of-second openai no; any key may use it/,
      })
      .waitFor();
    const asked = { body: { model: "model-of-second", messages: [{ role: "user", content: "Say hi" }] } };
    expect((await gateway.ask("alice", asked)).status).toBe(200);
  });

  test("keep their secret in an edit that does not replace it, and never show it", async () => {
    const { gateway, page, choose } = await opened();
    const secret = "sk-the-secret-of-the-account";
    await gateway.admin("POST", "/api/connections", {
      id: "mine",
      provider: "openai",
      baseUrl: "http://127.0.0.1:9/v1",
      auth: { kind: "value", value: secret },
    });
    await page.reload();
    await choose("mine", "Edit…");
    const form = page.getByRole("dialog", { name: "Edit connection" });
    expect(await form.getByLabel("Keep").isChecked()).toBe(true);
    await form.getByLabel("Models").fill("m-1\nm-2");
    const change = page.waitForRequest((request) => request.method() === "PATCH");
    await form.getByRole("button", { name: "Save" }).click();
    expect((await change).postDataJSON()).toEqual({ models: ["m-1", "m-2"] });
    await form.waitFor({ state: "hidden" });
    await page.getByText("m-2").waitFor();
    await choose("mine", "Edit…");
    await form.getByLabel("Secret", { exact: true }).check();
    expect(await form.getByRole("textbox", { name: "Secret", exact: true }).inputValue()).toBe("");
    expect(await page.content()).not.toContain(secret);
  });

  test("are not edited over somebody else's change", async () => {
    const { gateway, page, choose, expectFault } = await opened();
    expectFault(/412/);
    await choose("codex-demo", "Edit…");
    const form = page.getByRole("dialog", { name: "Edit connection" });
    await form.getByLabel("Models").fill("typed-here");
    await gateway.admin("PATCH", "/api/connections/codex-demo", { provider: "openai" });
    await form.getByRole("button", { name: "Save" }).click();
    await form.getByText("Provider: was codex, is openai now").waitFor();
    expect(await form.getByLabel("Models").inputValue()).toBe("typed-here");
    await form.getByRole("button", { name: "Save over theirs" }).click();
    await form.waitFor({ state: "hidden" });
    expect(await (await gateway.admin("GET", "/api/connections/codex-demo")).json()).toMatchObject({
      provider: "openai",
      models: ["typed-here"],
    });
  });

  test("say that they need a login, and are deleted by whoever types their id", async () => {
    const { gateway, page, choose } = await opened({}, async ({ provider, ask }) => {
      const account = { family: "codex", credential: "sk-simulated-seat" } as const;
      provider.account(account).configure({ login: "expired" });
      const asked = { path: "/v1/responses", body: { model: "gpt-codex-simulated", input: "Say hi" } };
      expect((await ask("alice", asked)).status).toBe(502);
    });
    await page
      .getByRole("row", { name: /codex-demo/ })
      .getByText(/^.needs a login$/u)
      .waitFor();
    await choose("codex-demo", "Delete…");
    const dialog = page.getByRole("dialog", { name: "Delete the connection" });
    await dialog.getByText("The pool Codex seat hangs on it.").waitFor();
    const button = dialog.getByRole("button", { name: "Delete connection" });
    await dialog.getByRole("textbox").fill("codex");
    expect(await button.isDisabled()).toBe(true);
    await dialog.getByRole("textbox").fill("codex-demo");
    await button.click();
    await page.getByRole("row", { name: /codex-demo/ }).waitFor({ state: "hidden" });
    expect((await gateway.admin("GET", "/api/connections/codex-demo")).status).toBe(404);
  });

  test("with hostile models of 10 kB are text, and fit a phone", async () => {
    const { gateway, page } = await opened({ viewport: { width: 390, height: 844 }, colorScheme: "dark" });
    const models = ["m".repeat(10_000), `<img src=x onerror="document.title='Ostrich'">`, "\u202eledom"];
    const body = { id: "hostile", provider: "<b>bold</b>", baseUrl: "simulator", models };
    expect((await gateway.admin("POST", "/api/connections", body)).status).toBe(201);
    await page.reload();
    await page.getByText("<b>bold</b>", { exact: true }).waitFor();
    expect(await page.locator("tbody li bdi").allTextContents()).toEqual(
      expect.arrayContaining([`${"m".repeat(160)}…`, models[1], models[2]]),
    );
    expect(await page.title()).toBe("Connections · @quota");
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
  });
});
