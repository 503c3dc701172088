import type { Browser, BrowserContext, BrowserContextOptions, Page } from "playwright-core";
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
  const context = await newContext(browser, options);
  const faults: string[] = [];
  await collectFaults(context, (fault) => void faults.push(fault));
  const expectFault = failWithFaults(faults, () => context.close());
  return { page: await context.newPage(), faults, expectFault };
}

/** A context as the tests want it: it looks the same on every machine, every time. */
export function newContext(browser: Browser, options: BrowserContextOptions): Promise<BrowserContext> {
  return browser.newContext({
    viewport: DESK,
    locale: "en-US",
    timezoneId: "UTC",
    // What still moves looks different every time.
    reducedMotion: "reduce",
    ...options,
  });
}

export const DESK = { width: 1280, height: 800 };

/** Fails the test at its end with the faults that it did not expect. */
export function failWithFaults(
  faults: readonly string[],
  end: () => Promise<void>,
): OpenedPage["expectFault"] {
  const expected: RegExp[] = [];
  onTestFinished(async () => {
    await end();
    const unexpected = faults.filter((fault) => !expected.some((pattern) => pattern.test(fault)));
    if (unexpected.length > 0) {
      throw new Error(`What went wrong in the page, and was not expected:\n\n${unexpected.join("\n")}`);
    }
  });
  return (fault) => void expected.push(fault);
}
