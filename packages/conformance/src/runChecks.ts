import { describe, test } from "vitest";
import type { Check } from "./check.js";

/** A backend on a busy machine may take its time; that a check ends is all that is asked of it. */
const TIMEOUT_MS = 60_000;

/** Runs checks as tests, each on a subject of its own. */
export function runChecks<Subject>(
  title: string,
  checks: readonly Check<Subject>[],
  withSubject: (run: (subject: Subject) => Promise<void>) => Promise<void>,
): void {
  describe(title, () => {
    for (const { name, run } of checks) test(name, { timeout: TIMEOUT_MS }, async () => withSubject(run));
  });
}

/** Opens, runs, disposes of what was opened, however the run ended. */
export function opening<Subject extends { readonly dispose: () => Promise<void> }>(
  open: () => Promise<Subject>,
): (run: (subject: Subject) => Promise<void>) => Promise<void> {
  return async (run) => {
    const subject = await open();
    try {
      await run(subject);
    } finally {
      await subject.dispose();
    }
  };
}
