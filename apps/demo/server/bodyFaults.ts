import type { Fault } from "@quota/core";
import type { z } from "zod";

/** What a schema finds wrong with a body, each fault a whole sentence that names its place. The schemas' own messages are what follows the place. */
export function bodyFaults(issues: readonly z.core.$ZodIssue[]): Pick<Fault, "path" | "message">[] {
  return issues.flatMap((issue) => {
    if (issue.code === "unrecognized_keys")
      return issue.keys.map((key) =>
        fault([...issue.path, key], "is not known here; take it out, or spell it right."),
      );
    // Of a member whose name is wrong, the reason is one level down.
    const message = issue.code === "invalid_key" ? issue.issues[0]!.message : issue.message;
    return [fault(issue.path, /^[a-z]/u.test(message) ? message : `is wrong. ${message}.`)];
  });
}

function fault(path: readonly PropertyKey[], message: string): Pick<Fault, "path" | "message"> {
  const place = path
    .map((part) => (typeof part === "number" ? `[${String(part)}]` : `.${String(part)}`))
    .join("")
    .replace(/^\./u, "");
  return { path: place, message: `${place === "" ? "The body" : place} ${message}` };
}
