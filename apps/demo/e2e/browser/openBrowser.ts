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
      // It opens nothing but pages of these tests, and as root it starts in no other way.
      chromiumSandbox: false,
      args: [
        "--disable-gpu",
        "--disable-quic",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
      ],
    });
  });
  afterAll(() => browser?.close());
  return () => browser!;
}
