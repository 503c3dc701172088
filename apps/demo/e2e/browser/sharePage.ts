import type { Browser, Frame, Page } from "playwright-core";
import { collectFaults } from "./collectFaults.js";
import { DESK, failWithFaults, newContext, type OpenedPage } from "./openPage.js";

export interface Look {
  /** Phone width is `{ width: 390, height: 844 }`. */
  readonly viewport?: { readonly width: number; readonly height: number };
  readonly colorScheme?: "light" | "dark";
}

/**
 * One page that the tests of a suite use one after the other: a new one costs three times what going somewhere else costs. Each gateway is on a port of
 * its own, so no storage is left over from the test before; cookies, permissions, routes and listeners are taken away.
 */
export function sharePage(browser: () => Browser): (look: Look) => Promise<OpenedPage> {
  let shared: Promise<Shared> | undefined;
  return async ({ viewport = DESK, colorScheme = "light" }) => {
    const { page, hear } = await (shared ??= share(browser()));
    await page.context().clearCookies();
    await page.setViewportSize(viewport);
    await page.emulateMedia({ colorScheme });
    const faults: string[] = [];
    // Until it goes somewhere, the page is the one of the test before, whose gateway is gone.
    const arrived = (frame: Frame) => {
      if (frame === page.mainFrame()) hear((fault) => void faults.push(fault));
    };
    page.on("framenavigated", arrived);
    const expectFault = failWithFaults(faults, async () => {
      hear(() => undefined);
      page.off("framenavigated", arrived);
      for (const event of ["request", "response"] as const) page.removeAllListeners(event);
      await page.unrouteAll({ behavior: "ignoreErrors" });
      await page.context().clearPermissions();
    });
    return { page, faults, expectFault };
  };
}

interface Shared {
  readonly page: Page;
  /** Who is told of faults from now on. */
  hear(tell: (fault: string) => void): void;
}

async function share(browser: Browser): Promise<Shared> {
  const context = await newContext(browser, {});
  let tell: (fault: string) => void = () => undefined;
  await collectFaults(context, (fault) => tell(fault));
  return { page: await context.newPage(), hear: (next) => void (tell = next) };
}
