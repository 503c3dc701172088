import { ensureProgram, findChromium } from "@quota/local-programs";
import type { TestProject } from "vitest/node";
import type {} from "./openBrowser.js";

/** A global set-up of vitest: tells the suites which Chromium to start, if any. */
export default function ensureChromium(project: TestProject): void {
  project.provide("chromium", ensureProgram({ debianPackage: "chromium", look: () => findChromium() }));
}
