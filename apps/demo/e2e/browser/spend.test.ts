import Database from "better-sqlite3";
import { join } from "node:path";
import { expect, inject, test } from "vitest";
import { openSqliteStorage } from "../../server/openSqliteStorage.js";
import type { Storage } from "../../server/storage.js";
import { startTestGateway, type TestGateway } from "../../test/startTestGateway.js";
import { temporaryDirectory } from "../../test/temporaryDirectory.js";
import { describeInBrowser } from "./describeInBrowser.js";
import { expectAccessible } from "./expectAccessible.js";
import { signIn } from "./signIn.js";

const PRICE = { model: "m", input: 3, output: 15 };

describeInBrowser("spend", ({ open }) => {
  /** Days are the gateway's and the browser's, so both have the same clock. */
  async function opened(prepare?: (gateway: TestGateway, storage: Storage) => Promise<void>) {
    const dataDir = temporaryDirectory();
    let storage: Storage | undefined;
    const gateway = await startTestGateway({
      webDirectory: inject("webDirectory"),
      dataDir,
      now: Date.now,
      openStorage: async (options) => (storage = await openSqliteStorage(options)),
    });
    await gateway.admin("PATCH", "/api/connections/kimi-demo", { prices: [PRICE] });
    await prepare?.(gateway, storage!);
    const { page, expectFault } = await open();
    await signIn(page, gateway);
    const go = async (path: string) => {
      await page.goto(`${gateway.url}/dashboard/${path}`);
      await page.getByRole("heading", { level: 1 }).waitFor();
    };
    const part = (name: string) => page.getByRole("region", { name, exact: true });
    return { gateway, page, expectFault, go, part, dataDir };
  }

  const json = async (answer: Promise<Response>) => (await answer).json() as Promise<Record<string, unknown>>;
  const flush = (gateway: TestGateway) => gateway.admin("POST", "/api/spend/queue", { action: "retry" });

  test("is shown by day, key and model, with what has no price, and against budgets", async () => {
    const { gateway, page, go, part } = await opened(async (prepared) => {
      await prepared.ask("alice");
      await prepared.ask("bob");
      const messages = [{ role: "user", content: "Say hi" }];
      await prepared.ask("bob", { body: { model: "of-nobody", messages } });
      await prepared.quiet();
      await flush(prepared);
      for (const [path, budget] of [
        [
          "keys/alice",
          { limitUsd: 0.0000001, period: "day", timeZone: "Asia/Tokyo", whenUnpriced: "refuse" },
        ],
        ["keys/bob", { limitUsd: 1000, period: "once" }],
      ] as const)
        expect((await prepared.admin("PATCH", `/api/${path}`, { budget })).status).toBe(200);
    });
    const spend = await json(gateway.admin("GET", "/api/spend?groupBy=key"));
    const { costUsd } = spend["total"] as { readonly costUsd: string };
    await go("spend");
    await page.locator("nav [aria-current=page]", { hasText: "Spend" }).waitFor();
    const overTime = part("Spend over time");
    expect(await overTime.locator("dl data").first().getAttribute("value")).toBe(costUsd);
    await overTime.getByText("As a table").click();
    await overTime.getByRole("row", { name: /today so far \$0\.\d+ \$0\.00 3 1/ }).waitFor();
    await part("By key")
      .getByRole("row", { name: /alice \$0\.\d+ 50% 1/ })
      .first()
      .waitFor();
    await part("By key").getByText("1 unpriced").waitFor();
    await part("By model")
      .getByRole("row", { name: /of-nobody no price 0% 1/ })
      .first()
      .waitFor();
    await page.getByText("1 request was to a model without a price, and is in no amount here.").waitFor();
    await part("By key").getByLabel("Whose spend").selectOption("team");
    await part("By team")
      .getByRole("row", { name: /no team/ })
      .first()
      .waitFor();

    const [alice, bob] = ["alice", "bob"].map((name) =>
      part("Budgets").getByRole("listitem").filter({ hasText: name }),
    );
    await alice!.getByText("over the budget by $0.").waitFor();
    await alice!
      .getByText(/Begins anew .* PM, which is .* 12:00 AM in Asia\/Tokyo; refuses models/)
      .waitFor();
    await bob!.getByText("never begins anew").waitFor();
    await part("Queue").getByText("up to date").waitFor();
    await expectAccessible(page);

    const week = page.waitForRequest(
      (request) => request.url().includes("groupBy=day") && daysOf(request.url()) === 7,
    );
    await page.getByText("7 days").click();
    await week;
    await page.emulateMedia({ colorScheme: "dark" });
    await page.setViewportSize({ width: 390, height: 844 });
    await expectAccessible(page);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
  });

  test("that cannot be read stops the queue, is set aside, and is retried or kept aside", async () => {
    const { gateway, page, go, part, expectFault, dataDir } = await opened(async (_, { spend }) => {
      const readable = {
        subjects: [{ kind: "key", id: "carol" }],
        cost: 5_000_000,
        endedAt: 1,
        outcome: "failed",
      };
      const raw = JSON.stringify({ requestId: "req_late", ...readable });
      await spend.ledger.keepDeadLetter(
        { position: "before", requestId: "req_late", raw, why: "It was." },
        1,
      );
    });
    expectFault(/422/);
    damage(dataDir);
    await flush(gateway);
    await go("spend");
    const item = page.getByRole("group", { name: "Damaged item" });
    await item.getByText("nothing behind it is written: It is no JSON").waitFor();
    await part("Queue").getByText("stopped at a damaged item").waitFor();
    await item.getByText("As it was kept").click();
    await item.getByText('{"requestId": "<img src=x').waitFor();
    await expectAccessible(page);
    await item.getByRole("button", { name: "Read it again" }).click();
    await part("Queue").getByText("It still cannot be read; nothing has changed.").waitFor();
    await item.getByRole("button", { name: "Keep it aside…" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Keep aside" }).click();
    await part("Queue").getByText("it is among the dead letters below. The queue goes on.").waitFor();
    await item.waitFor({ state: "hidden" });

    const letters = part("Dead letters");
    const damaged = letters.getByRole("row", { name: /It is no JSON/ });
    await damaged.getByRole("button", { name: "Retry…" }).click();
    const asked = page.getByRole("dialog");
    await asked.getByRole("button", { name: "Retry" }).click();
    await asked.getByRole("alert").getByText("It still cannot be read").waitFor();
    await asked.getByRole("button", { name: "Cancel" }).click();
    await damaged.getByRole("button", { name: "Keep aside…" }).click();
    await asked.getByRole("button", { name: "Keep aside" }).click();
    await letters.getByText("The letter is kept aside. Its cost is in no amount.").waitFor();
    await damaged.getByText("kept aside").waitFor();

    const late = letters.getByRole("row", { name: /req_late/ });
    await late.getByRole("button", { name: "Retry…" }).click();
    await asked.getByRole("button", { name: "Retry" }).click();
    await letters.getByText("The letter was retried, and its request is in the ledger.").waitFor();
    await late.getByText("retried, charged").waitFor();
    expect(await json(gateway.admin("GET", "/api/spend?from=1970-01-01"))).toMatchObject({
      total: { costUsd: "0.005" },
    });
  });

  test("says what to do where there is none, and where it cannot be read", async () => {
    const { page, go, part, expectFault } = await opened();
    await go("spend");
    await page.getByText("Nothing was spent in this time").first().waitFor();
    await part("Budgets").getByText("Nobody has a budget").waitFor();
    await part("Dead letters").getByText("There are none").waitFor();
    await expectAccessible(page);
    expectFault(/503/);
    await page.route("**/api/spend*", (route) =>
      route.fulfill({ status: 503, json: { detail: "The ledger is away." } }),
    );
    await page.reload();
    await part("Spend over time").getByRole("alert").getByText("The ledger is away.").waitFor();
    await page.unroute("**/api/spend*");
    await part("Spend over time").getByRole("button", { name: "Try again" }).click();
    await part("Spend over time").getByText("Nothing was spent in this time").waitFor();
  });

  test("has budgets, given, changed over somebody else's change, and taken away where keys and teams are edited", async () => {
    const { gateway, page, go, expectFault } = await opened();
    expectFault(/400|412/);
    await go("keys");
    const edit = async () => {
      await page.getByRole("button", { name: "What can be done with bob" }).click();
      await page.getByRole("menuitem", { name: "Edit…" }).click();
    };
    await edit();
    const form = page.getByRole("dialog", { name: "Edit key" });
    await form.getByLabel("Budget in US dollars").fill("much");
    await form.getByText("Type an amount such as 20").waitFor();
    await form.getByLabel("Budget in US dollars").fill("12.50");
    await form.getByLabel("Time zone").fill("Nowhere/Else");
    await form.getByLabel("without a price").selectOption("refuse");
    await form.getByRole("button", { name: "Save" }).click();
    await form.getByText("timeZone names no time zone that is known here").waitFor();
    await expectAccessible(page);
    await form.getByLabel("Time zone").fill("Europe/Paris");
    await form.getByRole("button", { name: "Save" }).click();
    await form.waitFor({ state: "hidden" });
    const budgetOf = async (path: string) => (await json(gateway.admin("GET", path)))["budget"];
    expect(await budgetOf("/api/keys/bob")).toMatchObject({
      limitUsd: "12.5",
      period: "month",
      timeZone: "Europe/Paris",
      whenUnpriced: "refuse",
    });

    const since = "2026-01-15T12:00:00.000Z";
    await edit();
    await form.getByLabel("Budget in US dollars").fill("20");
    await gateway.admin("PATCH", "/api/keys/bob", { budget: { limitUsd: 15, period: "once", since } });
    await form.getByRole("button", { name: "Save" }).click();
    await form.getByText("Budget in US dollars: was 12.5, is 15 now; you typed 20").waitFor();
    await form.getByText("For: was each month, is once and for all now").waitFor();
    await form.getByRole("button", { name: "Save over theirs" }).click();
    await form.waitFor({ state: "hidden" });
    // What it has counted so far goes on counting.
    expect(await budgetOf("/api/keys/bob")).toMatchObject({ limitUsd: "20", period: "once", since });
    await edit();
    await form.getByLabel("Budget in US dollars").fill("");
    await form.getByRole("button", { name: "Save" }).click();
    await form.waitFor({ state: "hidden" });
    expect(await budgetOf("/api/keys/bob")).toBeNull();

    await go("rates");
    await page.getByRole("button", { name: "New team" }).click();
    const team = page.getByRole("dialog", { name: "New team" });
    await team.getByLabel("Id").fill("search");
    await team.getByLabel("Budget in US dollars").fill("0.000000001");
    await team.getByLabel("For").selectOption("week");
    await team.getByRole("button", { name: "Create team" }).click();
    await team.waitFor({ state: "hidden" });
    expect(await budgetOf("/api/teams/search")).toMatchObject({ limitUsd: "0.000000001", period: "week" });
  });

  test("is not all that is known of a connection: how it answers, and that it fails", async () => {
    const { page, go } = await opened(async (gateway, { spend: { live } }) => {
      await gateway.ask("alice");
      await gateway.quiet();
      for (let i = 0; i < 3; i += 1)
        await live.recordFailure("codex-demo", { allowed: 3, cooldownMs: 600_000 }, Date.now());
    });
    await go("connections");
    await page.getByRole("row", { name: /kimi-demo .* answers in \d+ ms .* tokens this minute/ }).waitFor();
    await page
      .getByRole("row", { name: /codex-demo .* fails, until .* no answer in the last hour/ })
      .waitFor();
  });
});

function daysOf(url: string): number {
  const { searchParams } = new URL(url);
  return (Date.parse(searchParams.get("to")!) - Date.parse(searchParams.get("from")!)) / 86_400_000;
}

/** Leaves something at the head of the queue that nobody can read. */
function damage(dataDir: string): void {
  const database = new Database(join(dataDir, "storage.sqlite"));
  database
    .prepare(
      `INSERT INTO spend_queue (handed_in_at, payload, amount, minute, subjects) VALUES (1, ?, 0, -1, '[]')`,
    )
    .run('{"requestId": "<img src=x onerror=alert(1)>');
  database.close();
}
