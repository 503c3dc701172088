import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { onTestFinished } from "vitest";
import { collectFaults } from "./collectFaults.js";

export interface OpenedPage {
  readonly page: Page;
  /** What went wrong in the page so far. */
  readonly faults: readonly string[];
  /**
   * Says that a fault is part of the test: Chromium writes an error into its console for every answer of 400 and above, for example. Any other fault
   * fails the test when it is over.
   */
  expectFault(fault: RegExp): void;
}

/** A page in a context of its own, which is closed with the test. */
export async function openPage(browser: Browser, options: BrowserContextOptions): Promise<OpenedPage> {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 800 },
    locale: "en-US",
    timezoneId: "UTC",
    // What still moves looks different every time.
    reducedMotion: "reduce",
    ...options,
  });
  const expected: RegExp[] = [];
  const faults = await collectFaults(context);
  onTestFinished(async () => {
    await context.close();
    const unexpected = faults.filter((fault) => !expected.some((pattern) => pattern.test(fault)));
    if (unexpected.length > 0) {
      throw new Error(`What went wrong in the page, and was not expected:\n\n${unexpected.join("\n")}`);
    }
  });
  return { page: await context.newPage(), faults, expectFault: (fault) => void expected.push(fault) };
}
