import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, inject, onTestFinished, test } from "vitest";
import { startTestGateway } from "../../test/startTestGateway.js";
import { describeInBrowser } from "./describeInBrowser.js";
import { expectAccessible } from "./expectAccessible.js";
import { signIn } from "./signIn.js";
import { withClock } from "./withClock.js";

const POOLS = "/dashboard/costs/quota-share";

describeInBrowser("whoever", ({ open, openAlone }) => {
  test("is not signed in sees the sign-in: a wrong token is told, the right one opens, and signing out closes", async () => {
    const gateway = await startTestGateway({ webDirectory: inject("webDirectory") });
    const { page, expectFault } = await open();
    expectFault(/401/u);
    await page.goto(`${gateway.url}/dashboard/keys`);
    await page.getByLabel("Admin token").fill("a wrong one");
    await page.keyboard.press("Enter");
    await page.getByRole("alert").waitFor();
    await expectAccessible(page);
    await page.getByLabel("Admin token").fill(gateway.adminToken);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("heading", { level: 1, name: "Keys" }).waitFor();
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("heading", { name: "Sign in to @quota" }).waitFor();
    expect((await page.request.get(`${gateway.url}/api/keys`)).status()).toBe(401);
    await page.goto(`${gateway.url}${POOLS}`);
    await page.getByRole("heading", { name: "Sign in to @quota" }).waitFor();
  });

  test("types a wrong token five times waits before the sixth, and is told for how long", async () => {
    const gateway = await startTestGateway({ webDirectory: inject("webDirectory") });
    const { page, expectFault } = await open();
    expectFault(/401|429/u);
    await page.goto(`${gateway.url}/dashboard/sign-in`);
    for (let i = 0; i < 6; i += 1) {
      await page.getByLabel("Admin token").fill(`wrong ${i}`);
      const answered = page.waitForResponse("**/api/session");
      await page.getByRole("button", { name: "Sign in" }).click();
      expect((await answered).status()).toBe(i < 5 ? 401 : 429);
    }
    await expect.poll(() => page.getByRole("alert").textContent()).toMatch(/second/u);
  });

  test("uses the link a second time is told what to do instead", async () => {
    const gateway = await startTestGateway({ webDirectory: inject("webDirectory") });
    const first = await open();
    await first.page.goto(gateway.signInLink);
    await first.page.getByRole("heading", { level: 1, name: "Pools" }).waitFor();
    expect(first.page.url()).not.toContain("code=");
    const { page, expectFault } = await openAlone();
    expectFault(/401/u);
    await page.goto(gateway.signInLink);
    await expect.poll(() => page.getByRole("alert").textContent()).toMatch(/admin token/u);
    expect(page.url()).not.toContain("code=");
  });

  test("is signed out while typing signs in again, in front of what was typed", async () => {
    const gateway = await startTestGateway({ webDirectory: inject("webDirectory") });
    const { page, expectFault } = await withClock(openAlone)();
    expectFault(/401/u);
    await signIn(page, gateway);
    await page.goto(gateway.url + POOLS);
    await page.getByRole("button", { name: "Edit allocations" }).first().click();
    const name = page.getByRole("dialog").getByLabel("Name", { exact: true });
    await name.fill("Half typed");
    await page.request.delete(`${gateway.url}/api/session`, { headers: { origin: gateway.url } });
    // The next time that the page asks for anything.
    await page.clock.runFor(6_000);
    const again = page.getByRole("dialog", { name: "Sign in again" });
    await again.getByLabel("Admin token").fill(gateway.adminToken);
    await page.keyboard.press("Enter");
    await again.waitFor({ state: "detached" });
    expect(await name.inputValue()).toBe("Half typed");
  });

  test("looks at another page of this machine while signed in changes nothing through it", async () => {
    const gateway = await startTestGateway({ webDirectory: inject("webDirectory") });
    const { page, expectFault } = await open();
    expectFault(/NotSameOrigin|CORS|ERR_FAILED/u);
    await signIn(page, gateway);
    const server = createServer((_request, response) => {
      response.setHeader("content-type", "text/html");
      response.end("<!doctype html><title>elsewhere</title>");
    });
    await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void server.close());
    // Another port is another origin, and the same site: the cookie goes along.
    await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    await page.evaluate(
      (url) =>
        fetch(url, {
          method: "POST",
          credentials: "include",
          mode: "no-cors",
          headers: { "content-type": "text/plain" },
          body: '{"id":"intruder"}',
        }).catch(() => undefined),
      `${gateway.url}/api/keys`,
    );
    // It was sent with the session, and refused for where it came from.
    expect(gateway.logged.join("")).toMatch(/"method":"POST","path":"\/api\/keys".*"status":403/u);
    expect((await gateway.admin("GET", "/api/keys/intruder")).status).toBe(404);
  });
});
