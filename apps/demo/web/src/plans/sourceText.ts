import type { PlanJson } from "@quota/http";

/** Where a plan comes from, in words. */
export function sourceText({ source, provider }: Pick<PlanJson, "source" | "provider">): string {
  switch (source) {
    case "manual":
      return "set here";
    case "catalog":
      return `known for ${provider}`;
    case "empty":
      return "nothing is enforced until dimensions are set";
  }
}
