import { CHROMIUM_FLAGS } from "@quota/local-programs";
import { chromium, type Browser } from "playwright-core";
import { afterAll, beforeAll, inject } from "vitest";

declare module "vitest" {
  interface ProvidedContext {
    /** Said by `ensureChromium`: the path of the browser; undefined: this machine has none. */
    readonly chromium: string | undefined;
  }
}

/** A browser for all tests of a suite: it starts before the first of them and ends after the last. */
export function openBrowser(): () => Browser {
  let browser: Browser | undefined;
  beforeAll(async () => {
    browser = await chromium.launch({
      executablePath: inject("chromium")!,
      headless: true,
      // As root it starts in no other way.
      chromiumSandbox: false,
      args: [...CHROMIUM_FLAGS],
    });
  });
  afterAll(() => browser?.close());
  return () => browser!;
}
