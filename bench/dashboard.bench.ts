import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { CHROMIUM_FLAGS, findChromium } from "@quota/local-programs";
import { chromium, type Page } from "playwright-core";
import { saveResult } from "./saveResult.js";
import { scratchFolder } from "./scratchFolder.js";
import { startPrinting } from "./startProgram.js";

// 50 pools of 200 keys, as a person sees them: what one pool's use costs the gateway, how soon the list is there, and
// whether the page grows while it is left open.
const POOLS = 50;
const KEYS = 200;
const POLLS = 200;
const ADMIN = "bench-admin-token";

const executablePath = findChromium();
if (executablePath === undefined)
  throw new Error("There is no chromium on this machine. Install it: apt-get install chromium.");
const gateway = await startPrinting(
  join(import.meta.dirname, "..", "apps", "demo", "dist", "main.js"),
  { PORT: "0", DATA_DIR: scratchFolder(), LOG_LEVEL: "warn", QUOTA_ADMIN_TOKEN: ADMIN },
  /^ready (http\S+)$/m,
);
const url = gateway.match[1]!;
const browser = await chromium.launch({
  executablePath,
  chromiumSandbox: false,
  args: [...CHROMIUM_FLAGS, "--js-flags=--expose-gc"],
});

const pools = await fill();
const usage = await usageTimes(pools);
const { paintMs, listMs } = await firstSight();
const growth = await growthOverPolls();
await browser.close();
await gateway.stop();

const served = {
  name: "@quota/demo",
  guarantee: `${POOLS} pools of ${KEYS} keys, 4 dimensions each, in SQLite`,
};
await saveResult(
  "dashboard",
  [
    {
      work: "dashboard: usage of one pool, p50 of the answer",
      unit: "ms",
      ours: { ...served, value: usage[Math.floor(usage.length / 2)]! },
      target: { of: "value", atMost: 50 },
    },
    {
      work: "dashboard: usage of one pool, p95 of the answer",
      unit: "ms",
      ours: { ...served, value: usage[Math.floor(usage.length * 0.95)]! },
    },
    {
      work: "dashboard: first contentful paint",
      unit: "ms",
      ours: { ...served, value: paintMs },
    },
    {
      work: "dashboard: all pools in the list",
      unit: "ms",
      ours: { ...served, value: listMs },
      target: { of: "value", atMost: 1500 },
    },
    {
      work: `dashboard: the page's heap after ${POLLS} polls`,
      unit: "bytes",
      ours: { name: "after", value: growth.after, guarantee: "collected before it is measured" },
      peer: { name: "before", value: growth.before, guarantee: "the same page after 20 polls" },
      target: { of: "ratio", atMost: 1.1 },
    },
  ],
  ["one browser, one page; the clock of the page is moved on for the polls, the gateway's is not"],
);

/** The pools' ids. A tenth of the keys have used something. */
async function fill(): Promise<readonly string[]> {
  for (const { id } of (await api<readonly { id: string }[]>("GET", "/api/quota/pools")).values())
    await api("DELETE", `/api/quota/pools/${id}`);
  const keys = Array.from({ length: KEYS }, (_, i) => `key-${String(i).padStart(3, "0")}`);
  const secrets: string[] = [];
  for (const id of keys) secrets.push((await api<{ secret: string }>("POST", "/api/keys", { id })).secret);
  const made: string[] = [];
  for (let i = 0; i < POOLS; i += 1) {
    const connectionId = `seat-${String(i).padStart(2, "0")}`;
    await api("POST", "/api/connections", { id: connectionId, provider: "openai", baseUrl: "simulator" });
    await api("PUT", `/api/quota/plans/${connectionId}`, {
      dimensions: [
        { unit: "requests", window: "hourly", limit: 10_000 },
        { unit: "tokens", window: "5h", limit: 10_000_000 },
        { unit: "tokens", window: "weekly", limit: 100_000_000 },
        { unit: "requests", window: "daily", limit: 100_000 },
      ],
    });
    const allocations = keys.map((apiKeyId) => ({ apiKeyId, weight: 100 / KEYS }));
    made.push(
      (
        await api<{ id: string }>("POST", "/api/quota/pools", {
          connectionId,
          name: `Pool ${i}`,
          allocations,
        })
      ).id,
    );
    await Promise.all(secrets.filter((_, k) => k % 10 === 0).map((secret) => ask(secret, connectionId)));
  }
  return made;
}

async function ask(secret: string, connectionId: string): Promise<void> {
  const answer = await fetch(`${url}/v1/chat/completions`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${secret}`,
      "content-type": "application/json",
      "x-quota-connection": connectionId,
    },
    body: JSON.stringify({ model: "any", messages: [{ role: "user", content: "hello" }] }),
  });
  await answer.arrayBuffer();
  if (!answer.ok) throw new Error(`A request was answered ${answer.status}.`);
}

/** Milliseconds per answer, sorted. */
async function usageTimes(ids: readonly string[]): Promise<readonly number[]> {
  const times: number[] = [];
  for (let round = 0; round < 4; round += 1)
    for (const id of ids) {
      const asked = performance.now();
      await api("GET", `/api/quota/pools/${id}/usage`);
      if (round > 0) times.push(performance.now() - asked);
    }
  return times.sort((a, b) => a - b);
}

/** The median of five fresh browsers' profiles, signed in already. */
async function firstSight(): Promise<{ readonly paintMs: number; readonly listMs: number }> {
  const seen: { readonly paintMs: number; readonly listMs: number }[] = [];
  for (let i = 0; i < 5; i += 1) {
    const page = await openPage();
    // Milliseconds since the navigation began. One heading is the explanation's.
    const listMs = await page.evaluate<number>(`new Promise((resolve) => {
      const look = () => document.querySelectorAll("main section h2").length > ${POOLS}
        ? resolve(performance.now())
        : requestAnimationFrame(look);
      look();
    })`);
    const paintMs = await page.evaluate<number>(
      `performance.getEntriesByName("first-contentful-paint")[0].startTime`,
    );
    seen.push({ paintMs, listMs });
    await page.context().close();
  }
  const median = (values: readonly number[]): number => [...values].sort((a, b) => a - b)[2]!;
  return { paintMs: median(seen.map((one) => one.paintMs)), listMs: median(seen.map((one) => one.listMs)) };
}

async function growthOverPolls(): Promise<{ readonly before: number; readonly after: number }> {
  const page = await openPage({ withClock: true });
  let polls = 0;
  page.on("response", (response) => {
    if (response.url().endsWith("/usage")) polls += 1;
  });
  // The first pool's keys are on the page, too: 200 rows that change.
  await page.getByRole("button", { name: "Keys, burn rate and decisions" }).first().click();
  const seenAtOnce = await pollUntil(page, () => polls >= 20);
  const before = await heapOf(page);
  polls = 0;
  await pollUntil(page, () => polls >= POLLS * seenAtOnce);
  return { before, after: await heapOf(page) };

  /** Moves the page's clock on; how many usages it asks for at once. */
  async function pollUntil(watched: Page, isDone: () => boolean): Promise<number> {
    let most = 1;
    while (!isDone()) {
      const had = polls;
      await watched.clock.runFor(5_000);
      await sleep(150);
      most = Math.max(most, polls - had);
    }
    return most;
  }
}

async function heapOf(page: Page): Promise<number> {
  const client = await page.context().newCDPSession(page);
  await client.send("HeapProfiler.collectGarbage");
  const { usedSize } = await client.send("Runtime.getHeapUsage");
  return usedSize;
}

async function openPage({ withClock = false } = {}): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
  const page = await context.newPage();
  if (withClock) await page.clock.install();
  const signedIn = await page.request.post(`${url}/api/session`, { data: { token: ADMIN } });
  if (!signedIn.ok()) throw new Error(`The sign-in was answered ${signedIn.status()}.`);
  await page.goto(`${url}/dashboard/costs/quota-share`);
  return page;
}

async function api<Answer>(method: string, path: string, body?: unknown): Promise<Answer> {
  const answer = await fetch(url + path, {
    method,
    headers: { authorization: `Bearer ${ADMIN}`, "content-type": "application/json" },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  if (!answer.ok) throw new Error(`${method} ${path} was answered ${answer.status}: ${await answer.text()}`);
  return (answer.status === 204 ? undefined : await answer.json()) as Answer;
}
