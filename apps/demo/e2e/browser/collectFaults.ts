import type { BrowserContext } from "playwright-core";

/** Tells what goes wrong in the pages of a context, as it happens: console errors, uncaught errors, violations of the content security policy. */
export async function collectFaults(context: BrowserContext, tell: (fault: string) => void): Promise<void> {
  context.on("console", (message) => {
    if (message.type() === "error") tell(`console: ${message.text()} (${message.location().url})`);
  });
  context.on("weberror", (problem) => {
    const error = problem.error();
    tell(`uncaught: ${error.stack ?? error.message}`);
  });
  // Not every violation is written into the console: a caught `eval` is not.
  await context.exposeFunction("quotaViolation", tell);
  await context.addInitScript(() => {
    const { quotaViolation } = globalThis as unknown as { readonly quotaViolation: (said: string) => void };
    addEventListener("securitypolicyviolation", ({ effectiveDirective, blockedURI, sourceFile }) =>
      quotaViolation(`content security policy: ${effectiveDirective} stops ${blockedURI} (${sourceFile})`),
    );
  });
}
