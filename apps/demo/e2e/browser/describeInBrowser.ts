import { describeWithProgram } from "@quota/local-programs/vitest";
import type { BrowserContextOptions } from "playwright-core";
import { inject } from "vitest";
import { openBrowser } from "./openBrowser.js";
import { openPage, type OpenedPage } from "./openPage.js";
import { sharePage, type Look } from "./sharePage.js";

export interface BrowserSuite {
  /** The page that the tests of the suite take turns with: once in a test, with addresses in full. It has no cookies, and no storage of any gateway. */
  open(look?: Look): Promise<OpenedPage>;
  /** A page in a context of its own: for a second visitor, or for what cannot be taken back, such as another clock. */
  openAlone(options?: BrowserContextOptions): Promise<OpenedPage>;
}

/** A suite in a browser, one for all its tests; reported as skipped, by a title that says why, where this machine has none. */
export function describeInBrowser(title: string, body: (browser: BrowserSuite) => void): void {
  describeWithProgram(title, { debianPackage: "chromium", there: inject("chromium") !== undefined }, () => {
    const browser = openBrowser();
    const share = sharePage(browser);
    body({
      open: (look = {}) => share(look),
      openAlone: (options = {}) => openPage(browser(), options),
    });
  });
}
