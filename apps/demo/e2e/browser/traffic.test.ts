import { expect, inject, test } from "vitest";
import { startTestGateway } from "../../test/startTestGateway.js";
import { describeInBrowser } from "./describeInBrowser.js";
import { expectAccessible } from "./expectAccessible.js";
import { signIn } from "./signIn.js";

// Names in labels are isolated from the words around them, by a character on each side.
const START = Date.UTC(2026, 0, 15, 12, 5);

describeInBrowser("the panel of simulated clients", ({ open }) => {
  test("shows a newcomer borrowing, strict mode and recovery", async () => {
    const ahead = START - Date.now();
    const gateway = await startTestGateway({
      webDirectory: inject("webDirectory"),
      now: () => Date.now() + ahead,
    });
    await gateway.plan([{ unit: "requests", window: "hourly", limit: 100 }]);
    const { page } = await open();
    await signIn(page, gateway);
    await page.goto(`${gateway.url}/dashboard/costs/quota-share`);
    const panel = page.getByRole("region", { name: "Try it: simulated clients" });
    const row = (id: string) => panel.getByRole("row", { name: new RegExp(`^${id}`, "u") });
    const step = () => panel.locator('[aria-current="step"]').textContent();
    await panel.getByRole("button", { name: /^Start .bob.$/u }).waitFor();
    expect(await step()).toMatch(/^Start bob/u);

    await panel.getByRole("button", { name: /^Start .bob.$/u }).click();
    await row("bob").getByText("share used up").waitFor();
    await row("bob").getByText("asks Demo team").waitFor();
    await expect.poll(step).toMatch(/^After about/u);
    await panel.getByRole("button", { name: /^Start .alice.$/u }).click();
    await expect.poll(step).toMatch(/^Let the provider/u);
    await expectAccessible(page);

    await panel.getByLabel(/^Requests per second of .bob.$/u).fill("1");
    await panel.getByRole("button", { name: /^Stop .alice.$/u }).click();
    await row("alice").getByText("stopped").waitFor();
    await panel.getByRole("button", { name: "Let the provider reset its window" }).click();
    // It says so once the pool is generous again.
    await panel.getByText("It did: everybody begins anew.").waitFor();
    await panel.getByRole("button", { name: /^Stop .bob.$/u }).click();
    await row("bob").getByText("stopped").waitFor();
  });

  test("says what a rate may be, and keeps what was typed", async () => {
    const gateway = await startTestGateway({ webDirectory: inject("webDirectory") });
    const { page, expectFault } = await open();
    expectFault(/400/u);
    await signIn(page, gateway);
    await page.goto(`${gateway.url}/dashboard/costs/quota-share`);
    await page.getByLabel(/^Requests per second of .carol.$/u).fill("51");
    await page.getByRole("button", { name: /^Start .carol.$/u }).click();
    await page.getByText("perSecond must be a number from 0.1 to 50, requests a second.").waitFor();
    expect(await page.getByLabel(/^Requests per second of .carol.$/u).inputValue()).toBe("51");
  });

  test("is not there where nobody is simulated", async () => {
    const gateway = await startTestGateway({
      webDirectory: inject("webDirectory"),
      settings: { upstream: { baseUrl: "http://127.0.0.1:9/v1", apiKey: "sk-own", provider: "openai" } },
    });
    const { page } = await open();
    await signIn(page, gateway);
    await page.goto(`${gateway.url}/dashboard/costs/quota-share`);
    await page.getByText("Keys that borrow").waitFor();
    await page.getByRole("heading", { name: "Demo team" }).waitFor();
    expect(await page.getByRole("heading", { name: /simulated clients/u }).count()).toBe(0);
  });
});
