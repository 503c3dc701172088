import { inject, test } from "vitest";
import { startTestGateway } from "../../test/startTestGateway.js";
import { describeInBrowser } from "./describeInBrowser.js";
import { expectAccessible } from "./expectAccessible.js";
import { signIn } from "./signIn.js";

const POOLS = "/dashboard/costs/quota-share";

describeInBrowser("every page", ({ open }) => {
  test("is shown to whoever is signed in, without a fault and accessibly", async () => {
    const gateway = await startTestGateway({ webDirectory: inject("webDirectory") });
    const { page } = await open();
    await signIn(page, gateway);
    for (const [path, name] of [
      [`${POOLS}/plans`, "Plans"],
      ["/dashboard/keys", "Keys"],
      ["/dashboard/rates", "Rate plans"],
      ["/dashboard/spend", "Spend"],
      ["/dashboard/connections", "Connections"],
      ["/dashboard/settings", "Settings"],
      [POOLS, "Pools"],
    ] as const) {
      await page.goto(`${gateway.url}${path}`);
      await page.locator("nav [aria-current=page]", { hasText: name }).waitFor();
      await page.getByRole("heading", { level: 1 }).waitFor();
      await expectAccessible(page);
    }
    await page.emulateMedia({ colorScheme: "dark" });
    await expectAccessible(page);
    await page.setViewportSize({ width: 390, height: 844 });
    await expectAccessible(page);
  });
});
