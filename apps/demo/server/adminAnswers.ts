import { sendAnswer } from "@quota/express";
import { buildProblem, versionTag } from "@quota/http";
import type { Response } from "express";

/** 404: there is no such thing. */
export function notFound(response: Response, what: string): void {
  sendAnswer(response, buildProblem({ status: 404, detail: `There is no such ${what}.` }));
}

/** 409. */
export function conflict(response: Response, detail: string): void {
  sendAnswer(response, buildProblem({ status: 409, detail }));
}

/** 412: the change was based on a version that is gone. The thing as it is now comes along, so that nobody has to ask for it. */
export function stale(response: Response, what: string, existing?: { readonly version: number }): void {
  const detail = `The ${what} has changed since that version; read it again.`;
  const problem = buildProblem({ status: 412, detail });
  sendAnswer(
    response,
    existing === undefined
      ? problem
      : {
          ...problem,
          headers: { ...problem.headers, etag: versionTag(existing.version) },
          body: { ...problem.body, [what]: existing },
        },
  );
}
