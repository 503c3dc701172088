import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished, expect, test } from "vitest";
import { describeInBrowser } from "./describeInBrowser.js";
import { expectAccessible } from "./expectAccessible.js";

describeInBrowser("a page under test", ({ open }) => {
  test.each([
    ["writes an error into its console", `console.error("Ostrich")`, /console: Ostrich/],
    ["throws", `throw new Error("Ostrich")`, /uncaught: Error: Ostrich\n.*script\.js/],
    ["leaves a promise rejected", `Promise.reject(new Error("Ostrich"))`, /uncaught: Error: Ostrich/],
    ["is answered 404", `fetch("/nothing")`, /console: .*404.*\/nothing/],
    ["evaluates text, even if it can do without", `try { eval("1") } catch {}`, /policy: script-src.* eval/],
    [
      "styles itself inline",
      `main.innerHTML = "<p style='color: red'>Red</p>"`,
      /policy: style-src.* inline/,
    ],
    ["asks another host", `fetch("http://127.0.0.1:9/").catch(() => 0)`, /policy: connect-src.*:9/],
  ])("has a fault when it %s", async (_, script, fault) => {
    const url = await served(script);
    const { page, faults, expectFault } = await open();
    expectFault(/./);
    await page.goto(url);
    await expect.poll(() => faults).toContainEqual(expect.stringMatching(fault));
  });

  test.fails("fails its test with a fault", async () => {
    const url = await served(`console.error("Ostrich")`);
    const { page, faults } = await open();
    await page.goto(url);
    await expect.poll(() => faults).toHaveLength(1);
  });

  test.each(["one", "another"])("shares no cookie with the page of another test: %s", async () => {
    const url = await served(`document.title = document.cookie || "empty"; document.cookie = "seen=1"`);
    const { page } = await open();
    await page.goto(url);
    await expect.poll(() => page.title()).toBe("empty");
    await page.reload();
    await expect.poll(() => page.title()).toBe("seen=1");
  });

  test("is not accessible with a picture that says nothing, and the failure names it", async () => {
    const url = await served(`main.innerHTML = "<img class=dumb src=data:,>"`);
    const { page } = await open();
    await page.goto(url);
    await page.getByText("Done").waitFor();
    await expect(expectAccessible(page)).rejects.toThrow(/critical image-alt: [^]*<img class="dumb"/);
  });
});

/** A page that runs a script under a strict policy, and says so afterwards. */
async function served(script: string): Promise<string> {
  const said = `const done = document.createElement("p"); done.textContent = "Done"; main.append(done);`;
  const answers = new Map([
    ["/", ["text/html", PAGE]],
    ["/script.js", ["text/javascript", script]],
    ["/done.js", ["text/javascript", said]],
    ["/favicon.ico", ["image/x-icon", ""]],
  ]);
  const server = createServer(({ url = "" }, response) => {
    const [type, body] = answers.get(url) ?? [];
    if (type === undefined) return void response.writeHead(404).end();
    response
      .writeHead(200, {
        "content-type": type,
        "content-security-policy": "default-src 'none'; script-src 'self'; connect-src 'self'; img-src data:",
      })
      .end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const PAGE = `<!doctype html><html lang="en"><title>A page</title><main id="main"><h1>A page</h1></main>
<script src="/script.js" defer></script><script src="/done.js" defer></script>`;
