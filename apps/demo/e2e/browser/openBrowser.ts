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
      args: [...CHROMIUM_FLAGS, `--disable-features=${UNUSED.join(",")}`],
    });
  });
  afterAll(() => browser?.close());
  return () => browser!;
}

/**
 * What no page of ours uses. Of two such flags Chromium obeys the last, so the ones that Playwright turns off for the sake of tests are here again.
 * What the address bar shows is pages of its own, loaded with every page under test: a quarter of what a page costs, and nobody sees them.
 */
const UNUSED = [
  ...["WebUIOmniboxPopup", "WebUIOmniboxAimPopup", "WebUIOmniboxFullPopup"],
  ...["AvoidUnnecessaryBeforeUnloadCheckSync", "DestroyProfileOnBrowserClose", "PaintHolding"],
  ...["HttpsUpgrades", "HttpsFirstBalancedModeAutoEnable", "ThirdPartyStoragePartitioning"],
  ...["AvoidCorsURLLoaderRestartOnRedirect", "LensOverlay", "MediaRouter", "OptimizationHints"],
  ...["NetworkTimeServiceQuerying", "AimEnabled", "PreconnectToSearch"],
];
