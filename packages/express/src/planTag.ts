import { createHash } from "node:crypto";
import type { PlanJson } from "@quota/http";

/** What a plan is, as an `ETag`: a plan has no version, and two that say the same are the same. */
export function planTag({ source, dimensions }: Pick<PlanJson, "source" | "dimensions">): string {
  const text = JSON.stringify([source, dimensions]);
  return `"${createHash("sha256").update(text).digest("base64url").slice(0, 22)}"`;
}

/** Whether a change that says this `If-Match` may be made of what has this tag. Weak ones count: proxies make them so. */
export function matchesTag(ifMatch: string, tag: string): boolean {
  return ifMatch.split(",").some((each) => ["*", tag, `W/${tag}`].includes(each.trim()));
}
