import type { OpenedPage } from "./openPage.js";

/**
 * Opens a page whose clock a test sets forward, `page.clock.runFor(6_000)`, so that it need not wait until the page asks again. Such a clock cannot be
 * taken away: the page is nobody else's.
 */
export function withClock(openAlone: () => Promise<OpenedPage>): () => Promise<OpenedPage> {
  return async () => {
    const opened = await openAlone();
    await opened.page.clock.install();
    return opened;
  };
}
