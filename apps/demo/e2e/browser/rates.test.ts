import { expect, inject, test } from "vitest";
import { startTestGateway } from "../../test/startTestGateway.js";
import { describeInBrowser } from "./describeInBrowser.js";
import { expectAccessible } from "./expectAccessible.js";
import { signIn } from "./signIn.js";
import { withClock } from "./withClock.js";

describeInBrowser("the rate plan", ({ open, openAlone }) => {
  async function opened(openIt: () => ReturnType<typeof open> = open) {
    const gateway = await startTestGateway({ webDirectory: inject("webDirectory") });
    await gateway.admin("POST", "/api/orgs", { id: "acme", name: "Acme", rpm: 10 });
    await gateway.admin("POST", "/api/teams", { id: "search", orgId: "acme", rpm: 6 });
    await gateway.admin("PATCH", "/api/keys/alice", { teamId: "search" });
    await gateway.admin("PATCH", "/api/keys/bob", { orgId: "acme" });
    const { page, expectFault } = await openIt();
    await signIn(page, gateway);
    await page.goto(`${gateway.url}/dashboard/rates`);
    const tree = page.getByRole("treegrid", { name: "Rate plan" });
    await tree.waitFor();
    return { gateway, page, expectFault, tree };
  }

  test("is a tree in which a limit is set, and refuses the next request", async () => {
    const { gateway, tree } = await opened();
    expect(
      await tree
        .locator("tr[aria-level]")
        .evaluateAll((rows) =>
          rows.map((row) =>
            [
              row.getAttribute("aria-level"),
              String(row.getAttribute("aria-expanded")),
              row.querySelector("th")!.textContent.replace(/[▾▸]/gu, ""),
            ].join(" "),
          ),
        ),
    ).toEqual([
      "1 true Acmeorganisation",
      "2 true searchteam",
      "3 null alice",
      "2 null bob",
      "1 true Keys of no team and no organisation 1",
      "2 null carol",
    ]);
    expect((await gateway.ask("alice")).status).toBe(200);

    const limit = tree.getByLabel("Requests per minute of alice");
    await limit.fill("many");
    await tree.getByText("Type a whole number, such as 60, or “none”.").waitFor();
    await limit.press("Enter");
    await limit.fill("1");
    await limit.press("Enter");
    await tree.getByText("Enter saves, Escape forgets").waitFor({ state: "hidden" });
    expect(await (await gateway.admin("GET", "/api/keys/alice")).json()).toMatchObject({ rpm: 1, tpm: null });
    const refused = await gateway.ask("alice");
    expect([refused.status, ((await refused.json()) as { error: { code: string } }).error.code]).toEqual([
      429,
      "rate_limit_rpm",
    ]);
    await limit.fill("0");
    await tree.getByText("0 refuses everything: no request of alice will get through.").waitFor();
    await limit.press("Escape");
    expect(await limit.inputValue()).toBe("1");
  });

  test("keeps what is typed while it is read anew, and tells what somebody else has changed", async () => {
    const { gateway, page, tree, expectFault } = await opened(withClock(openAlone));
    expectFault(/412/);
    const limit = tree.getByLabel("Requests per minute of search");
    await limit.fill("4");
    await gateway.admin("PATCH", "/api/teams/search", { rpm: 5, tpm: 900 });
    const readAnew = page.waitForResponse("**/api/rates");
    await page.clock.runFor(6_000);
    await readAnew;
    await expect.poll(() => tree.getByLabel("Tokens per minute of Acme").inputValue()).toBe("none");
    expect(await limit.inputValue()).toBe("4");
    await tree.getByRole("button", { name: "Save" }).click();
    await tree.getByText("Requests per minute: was 6, is 5 now; you typed 4").waitFor();
    await tree.getByText("Tokens per minute: was none, is 900 now").waitFor();
    await expectAccessible(page);
    await tree.getByRole("button", { name: "Save over theirs" }).click();
    await tree.getByRole("button", { name: "Save over theirs" }).waitFor({ state: "hidden" });
    expect(await (await gateway.admin("GET", "/api/teams/search")).json()).toMatchObject({
      rpm: 4,
      tpm: 900,
    });
  });

  test("says where limits shrink each other", async () => {
    const { tree } = await opened();
    await tree.getByLabel("Requests per minute of search").fill("12");
    await tree.getByLabel("Requests per minute of search").press("Enter");
    await tree
      .getByText(/The organisation "acme" has rpm 10, but the limits next below it add up to 12/)
      .waitFor();
  });

  test("is gone about with the keyboard alone", async () => {
    const { page, tree } = await opened();
    const focused = () => page.evaluate(() => (document.activeElement as HTMLElement).dataset["key"]);
    await tree.locator("tr[data-key='organisation:acme']").focus();
    await page.keyboard.press("ArrowDown");
    expect(await focused()).toBe("team:search");
    await page.keyboard.press("ArrowLeft");
    await tree.getByText("alice").waitFor({ state: "hidden" });
    await page.keyboard.press("ArrowRight");
    await tree.getByText("alice").waitFor();
    await page.keyboard.press("End");
    expect(await focused()).toBe("key:carol");
    await page.keyboard.press("Enter");
    await page.keyboard.press("Tab");
    // The words in the place of numbers are reached, and explained.
    await page.getByText("Neither it nor anything above it has a limit").nth(1).waitFor();
    await page.keyboard.press("Escape");
    await page.keyboard.press("Escape");
    expect(await focused()).toBe("key:carol");
    await page.keyboard.press("Home");
    expect(await focused()).toBe("organisation:acme");
  });

  test("takes teams and organisations, renames them, and names the members of one that is not deleted", async () => {
    const { gateway, page, tree, expectFault } = await opened();
    expectFault(/409/);
    await page.getByRole("button", { name: "New organisation" }).click();
    const made = page.getByRole("dialog", { name: "New organisation" });
    await made.getByLabel("Id").fill("globex");
    await made.getByLabel("Tokens per minute").fill("5000");
    await made.getByRole("button", { name: "Create organisation" }).click();
    await tree.getByText("globex").waitFor();
    await page.getByRole("button", { name: "What can be done with globex" }).click();
    await page.getByRole("menuitem", { name: "New team in it…" }).click();
    const team = page.getByRole("dialog", { name: "New team" });
    await team.getByLabel("Id").fill("ads");
    await team.getByRole("button", { name: "Create team" }).click();
    await tree.getByText("ads").waitFor();
    expect(await (await gateway.admin("GET", "/api/teams/ads")).json()).toMatchObject({ orgId: "globex" });

    await page.getByRole("button", { name: "What can be done with ads" }).click();
    await page.getByRole("menuitem", { name: "Edit…" }).click();
    const renamed = page.getByRole("dialog", { name: "Edit team" });
    await renamed.getByLabel("Name").fill("Advertising");
    await expectAccessible(page);
    await renamed.getByRole("button", { name: "Save" }).click();
    await tree.getByText("Advertising").waitFor();

    await page.getByRole("button", { name: "What can be done with globex" }).click();
    await page.getByRole("menuitem", { name: "Delete…" }).click();
    const asked = page.getByRole("dialog", { name: "Delete the organisation" });
    await asked.getByRole("button", { name: "Delete organisation" }).click();
    await asked
      .getByText("The organisation globex still has members: team ads. Move or delete them first.")
      .waitFor();
  });

  test("shows hostile names as text, and many keys closed, on a phone", async () => {
    const { gateway, page, tree } = await opened(() => open({ viewport: { width: 390, height: 844 } }));
    const name = `<img src=x onerror="document.title='Ostrich'">\u202e אבג`;
    await gateway.admin("PATCH", "/api/teams/search", { name });
    const keys = Array.from({ length: 60 }, (_, i) => ({ id: `key-${i}`, teamId: "search" }));
    await Promise.all(keys.map((key) => gateway.admin("POST", "/api/keys", key)));
    await page.reload();
    await tree.getByText("<img src=x").first().waitFor();
    expect(await tree.getByText("key-7", { exact: true }).count()).toBe(0);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
    await tree.getByRole("button", { name: /Open <img/ }).click();
    await tree.getByText("key-59", { exact: true }).waitFor();
    expect(await page.title()).toBe("Rate plans · @quota");
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
  });
});
