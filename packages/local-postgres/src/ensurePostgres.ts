import { ensureProgram } from "@quota/local-programs";
import type { TestProject } from "vitest/node";
import type {} from "./describeWithPostgres.js";
import { findPostgres } from "./findPostgres.js";
import { startPostgres } from "./startPostgres.js";

/** A global set-up of vitest: starts one server for the suites of a project, and tells them where it is. */
export default async function ensurePostgres(project: TestProject): Promise<() => Promise<void>> {
  const there = ensureProgram({ debianPackage: "postgresql", look: findPostgres }) !== undefined;
  const server = there ? await startPostgres() : undefined;
  project.provide("postgresUrl", server?.url ?? "none");
  return async () => await server?.stop();
}
