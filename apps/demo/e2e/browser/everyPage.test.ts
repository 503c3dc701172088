import { inject, test } from "vitest";
import { startTestGateway } from "../../test/startTestGateway.js";
import { describeInBrowser } from "./describeInBrowser.js";
import { expectAccessible } from "./expectAccessible.js";
import { signIn } from "./signIn.js";

describeInBrowser("every page", ({ open }) => {
  test.each([
    ["/dashboard/costs/quota-share", "Pools"],
    ["/dashboard/costs/quota-share/plans", "Plans"],
    ["/dashboard/keys", "Keys"],
    ["/dashboard/rates", "Rate plans"],
    ["/dashboard/connections", "Connections"],
    ["/dashboard/settings", "Settings"],
  ])("is shown to whoever is signed in, without a fault and accessibly: %s", async (path, name) => {
    const gateway = await startTestGateway({ webDirectory: inject("webDirectory") });
    const { page } = await open(gateway.url);
    await signIn(page, gateway);
    await page.goto(path);
    await page.locator("nav [aria-current=page]", { hasText: name }).waitFor();
    await page.getByRole("heading", { level: 1 }).waitFor();
    await expectAccessible(page);
  });
});
