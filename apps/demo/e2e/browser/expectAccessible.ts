import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type axe from "axe-core";
import type { Page } from "playwright-core";

/** As it is shipped for browsers: half of what `axe.source` is, to send and to parse. */
const SOURCE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** Asks axe about the page as it is now: nothing serious and nothing critical may be wrong with it. */
export async function expectAccessible(page: Page): Promise<void> {
  if (!(await page.evaluate(() => "axe" in globalThis))) await page.evaluate(SOURCE);
  const { violations } = await page.evaluate(() => {
    const { axe: injected } = globalThis as unknown as { readonly axe: typeof axe };
    // The style sheets are the page's own: axe need not fetch them again.
    return injected.run(document, { resultTypes: ["violations"], preload: false });
  });
  const grave = violations.filter(({ impact }) => impact === "serious" || impact === "critical");
  if (grave.length > 0) {
    throw new Error(`axe finds fault with ${page.url()}:\n\n${grave.flatMap(told).join("\n\n")}`);
  }
}

function told({ id, impact, help, nodes }: axe.Result): readonly string[] {
  return nodes.map(({ target, html, failureSummary = "" }) =>
    [`${impact ?? ""} ${id}: ${help}`, target.join(" "), html.slice(0, 200), failureSummary].join("\n  "),
  );
}
