import type { BrowserContext } from "playwright-core";

/** What goes wrong in the pages of a context, line by line, as it happens: console errors, uncaught errors, violations of the content security policy. */
export async function collectFaults(context: BrowserContext): Promise<readonly string[]> {
  const faults: string[] = [];
  context.on("console", (message) => {
    if (message.type() === "error") faults.push(`console: ${message.text()} (${message.location().url})`);
  });
  context.on("weberror", (problem) => {
    const error = problem.error();
    faults.push(`uncaught: ${error.stack ?? error.message}`);
  });
  // Not every violation is written into the console: a caught `eval` is not.
  await context.exposeFunction("quotaViolation", (violation: string) => void faults.push(violation));
  await context.addInitScript(() => {
    const { quotaViolation } = globalThis as unknown as { readonly quotaViolation: (said: string) => void };
    addEventListener("securitypolicyviolation", ({ effectiveDirective, blockedURI, sourceFile }) =>
      quotaViolation(`content security policy: ${effectiveDirective} stops ${blockedURI} (${sourceFile})`),
    );
  });
  return faults;
}
