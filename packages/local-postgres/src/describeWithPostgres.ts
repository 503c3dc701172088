import { describeWithProgram } from "@quota/local-programs/vitest";
import { inject } from "vitest";

declare module "vitest" {
  interface ProvidedContext {
    /** Said by `ensurePostgres`: the URL of a server that is there for this run, or `none`. */
    readonly postgresUrl: string;
  }
}

/**
 * A suite that needs a PostgreSQL server, whose URL the body is handed: run where there is one, and reported as skipped, by a title that says why, where
 * there is none. It makes databases of its own (`createDatabase`), and leaves the server alone.
 */
export function describeWithPostgres(title: string, body: (url: string) => void): void {
  const url = inject("postgresUrl");
  describeWithProgram(title, { debianPackage: "postgresql", there: url !== "none" }, () => body(url));
}
