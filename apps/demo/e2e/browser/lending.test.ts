import type { Page } from "playwright-core";
import { expect, inject, test } from "vitest";
import { startTestGateway, type TestGateway } from "../../test/startTestGateway.js";
import { describeInBrowser } from "./describeInBrowser.js";
import { expectAccessible } from "./expectAccessible.js";
import { signIn } from "./signIn.js";

/** Half of an hour that is laid on the epoch has passed. */
const HALF_TIME = Date.UTC(2026, 0, 15, 12, 30);

describeInBrowser("how a pool lends", ({ open }) => {
  /** 100 requests an hour: of them alice has 50, bob 30, carol 20. */
  const opened = async (look: Parameters<typeof open>[0] = {}) => {
    const gateway = await startTestGateway({
      webDirectory: inject("webDirectory"),
      now: () => HALF_TIME,
    });
    await gateway.plan([{ unit: "requests", window: "hourly", limit: 100 }]);
    const seen = await open(look);
    await signIn(seen.page, gateway);
    return { gateway, ...seen, card: seen.page.getByRole("region", { name: "Pool Demo team" }) };
  };
  const show = (page: Page, gateway: TestGateway) => page.goto(`${gateway.url}/dashboard/costs/quota-share`);

  test("is switched live: who gains and who loses is told before, and then the reserve is drawn", async () => {
    const { gateway, page, card } = await opened();
    await change(gateway, { saturationThreshold: 0.3 });
    await ask(gateway, "bob", 30);
    await show(page, gateway);
    await card.getByText(/Lending: threshold\. Idle shares are lent until/u).waitFor();
    await card.getByRole("button", { name: "Change the rule" }).click();
    const dialog = page.getByRole("dialog", { name: "How this pool lends" });
    await dialog.getByLabel(/^reserve /iu).check();
    await dialog.getByText(/A window that rolls becomes a fixed one, laid on the epoch/u).waitFor();
    await dialog.getByText("1 gains, 2 lose").waitFor();
    // At half-time 37 are reserved for alice and 15 for carol: 18 are spare.
    const rows = dialog.getByRole("table").locator("tbody tr");
    await expect
      .poll(() => rows.allTextContents())
      .toEqual(["carol7033■loses 37", "alice7055■loses 15", "bob0opens Jan 15, 2026, 1:00 PM18●gains 18"]);
    await expectAccessible(page);
    await dialog.getByRole("button", { name: "Save" }).click();
    await expect.poll(() => dialog.count()).toBe(0);
    expect(await gateway.poolOf("kimi-demo")).toMatchObject({ lending: "reserve" });

    await card.getByText(/Lending: reserve, at pace\./u).waitFor();
    await card
      .getByRole("img", {
        name: /free 70 requests; of it reserved for 2 keys 52 requests; spare 18 requests/u,
      })
      .waitFor();
    await card
      .getByText(
        /50% of it has passed, so 75% of an untouched share is still reserved\. Everything is spare from Jan 15, 2026, 12:58 PM on\./u,
      )
      .waitFor();
    expect(await card.getByRole("row", { name: /alice/u }).textContent()).toMatch(/50 left37/u);
    await expectAccessible(page);

    expect(await ask(gateway, "bob", 19)).toBe(429);
    await card.getByRole("row", { name: /bob/u }).getByRole("button", { name: /Why/u }).click();
    const why = page.getByRole("dialog", { name: "Why?" });
    await why
      .getByText(/bob.* what is left is reserved for keys that have not used their shares yet\./u)
      .waitFor();
    await why
      .getByText(/with 52 reserved for 2 other keys and nothing spare; .*: it waits until more is spare\./u)
      .waitFor();
    const rules = why.getByRole("table").locator("tbody tr");
    expect(await rules.allTextContents()).toEqual([
      expect.stringMatching(/^threshold■fair-share.*0 requests per hour$/u),
      expect.stringMatching(
        /^reserve, at pace this pool’s■reserved for others.* 12:3\d PM0 requests per hour$/u,
      ),
      expect.stringMatching(/^static■fair-share.*0 requests per hour$/u),
      "open●passes52 requests per hour",
    ]);
    await expectAccessible(page);
    await page.keyboard.press("Escape");
    await card.getByRole("tab", { name: "Recent decisions" }).click();
    const refused = card.getByRole("region", { name: "Recent decisions" }).getByRole("row", { name: /bob/u });
    expect(await refused.textContent()).toMatch(/reserved for others.*requests per hour/u);
  });

  test("is not changed over somebody else's change unseen; and a shadow is asked along", async () => {
    const { gateway, page, card, expectFault } = await opened();
    expectFault(/412/u);
    await show(page, gateway);
    await card.getByRole("button", { name: "Change the rule" }).click();
    const dialog = page.getByRole("dialog", { name: "How this pool lends" });
    await dialog.getByLabel(/^static /iu).check();
    await dialog.getByLabel("Shadow rule").selectOption("open");
    await change(gateway, { lending: "open", name: "Renamed" });
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.getByText("Nothing was saved: somebody changed this pool meanwhile.").waitFor();
    expect(await dialog.getByRole("listitem").allTextContents()).toEqual([
      "name: was Demo team, is Renamed now",
      "lending rule: was threshold, is open now; you chose static",
    ]);
    expect(await dialog.getByLabel(/^static /iu).isChecked()).toBe(true);
    await dialog.getByRole("button", { name: "Save over theirs" }).click();
    await expect.poll(() => dialog.count()).toBe(0);
    const pool = await gateway.poolOf("kimi-demo");
    expect(pool).toMatchObject({ name: "Renamed", lending: "static", shadow: "open" });
    expect(await ask(gateway, "carol", 21)).toBe(429);
    await page.reload();
    const renamed = page.getByRole("region", { name: "Pool Renamed" });
    await renamed
      .getByText(/Of 21 requests it would have refused none that passed, and let 1 pass/u)
      .waitFor();
    await renamed.getByRole("tab", { name: "Recent decisions" }).click();
    await renamed.getByRole("row", { name: /carol.*open: would pass/u }).waitFor();
  });

  test("is limited for one key, on a phone in the dark; a rule that cannot keep that takes it back", async () => {
    const { gateway, page, card } = await opened({
      viewport: { width: 390, height: 844 },
      colorScheme: "dark",
    });
    await change(gateway, { lending: { rule: "reserve", curve: { hold: 4 } } });
    await show(page, gateway);
    await card.getByText(/Lending: reserve, hold 4\. .* in full for 75% of the window/u).waitFor();
    await card.getByRole("button", { name: "Edit allocations" }).click();
    const edit = page.getByRole("dialog", { name: "Edit the pool" });
    await edit.getByRole("button", { name: "Lending of bob: lends all" }).click();
    await edit.getByLabel("The most that bob borrows").fill("120");
    await edit.getByText("What it borrows at most must be a number from 0 to 100").waitFor();
    await edit.getByLabel("The most that bob borrows").fill("5");
    await edit.getByLabel("bob lends what it leaves idle").uncheck();
    await edit.getByRole("button", { name: "Save" }).click();
    await expect.poll(() => edit.count()).toBe(0);
    expect(await gateway.poolOf("kimi-demo")).toMatchObject({
      allocations: [{}, { apiKeyId: "bob", lend: false, borrowingLimit: 5 }, {}],
    });
    await card.getByText(/All but the 30 requests that are never lent is spare from/u).waitFor();
    expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);

    await card.getByRole("button", { name: "Change the rule" }).click();
    const dialog = page.getByRole("dialog", { name: "How this pool lends" });
    await dialog.getByLabel(/^open /iu).check();
    const promised = dialog.getByRole("group", { name: /cannot keep what was promised/u });
    await promised.getByText("bob").waitFor();
    await expectAccessible(page);
    expect(await dialog.getByRole("button", { name: "Save" }).isDisabled()).toBe(true);
    await promised.getByLabel("They lend like all others").check();
    await dialog.getByRole("button", { name: "Save" }).click();
    await expect.poll(() => dialog.count()).toBe(0);
    const pool = await gateway.poolOf("kimi-demo");
    expect(pool).toMatchObject({ lending: "open", allocations: [{}, { borrowingLimit: 5 }, {}] });
    expect(JSON.stringify(pool)).not.toContain('"lend":');
  });
});

/** Asks so often; answers with the last status. */
async function ask(gateway: TestGateway, key: string, times: number): Promise<number> {
  let status = 0;
  for (let i = 0; i < times; i += 1) {
    const answer = await gateway.ask(key);
    await answer.text();
    await gateway.quiet();
    status = answer.status;
  }
  return status;
}

async function change(gateway: TestGateway, patch: object): Promise<void> {
  const { id } = await gateway.poolOf("kimi-demo");
  const answer = await gateway.admin("PATCH", `/api/quota/pools/${id}`, patch);
  expect(answer.status, await answer.text()).toBe(200);
}
