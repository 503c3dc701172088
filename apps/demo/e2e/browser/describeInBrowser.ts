import { describeWithProgram } from "@quota/local-programs/vitest";
import type { BrowserContextOptions } from "playwright-core";
import { inject } from "vitest";
import { openBrowser } from "./openBrowser.js";
import { openPage, type OpenedPage } from "./openPage.js";

export interface BrowserSuite {
  /**
   * Opens an empty page in a context of its own: no cookies, no storage. Addresses given to the page later may be relative to `baseURL`. Phone width
   * is `{ viewport: { width: 390, height: 844 } }`, the dark page `{ colorScheme: "dark" }`.
   */
  open(baseURL: string, options?: BrowserContextOptions): Promise<OpenedPage>;
}

/** A suite in a browser, one for all its tests; reported as skipped, by a title that says why, where this machine has none. */
export function describeInBrowser(title: string, body: (browser: BrowserSuite) => void): void {
  describeWithProgram(title, { debianPackage: "chromium", there: inject("chromium") !== undefined }, () => {
    const browser = openBrowser();
    body({ open: (baseURL, options = {}) => openPage(browser(), { baseURL, ...options }) });
  });
}
