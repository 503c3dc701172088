import type { DimensionUsageJson } from "@quota/http";
import { Badge } from "../ui/Badge.js";

/** Whether shares bind, in the words of the rule. */
export function ModeBadge({ mode, lending }: Pick<DimensionUsageJson, "mode" | "lending">) {
  if (mode !== "unknown" && lending !== "threshold") return <RuleBadge mode={mode} lending={lending} />;
  switch (mode) {
    case "generous":
      return <Badge tone="good">generous</Badge>;
    case "strict":
      return <Badge tone="warning">strict</Badge>;
    case "unknown":
      return <Badge tone="neutral">no limit known</Badge>;
  }
}

function RuleBadge({ mode, lending }: Pick<DimensionUsageJson, "mode" | "lending">) {
  switch (lending) {
    case "static":
      return <Badge tone="neutral">lends nothing</Badge>;
    case "open":
      return <Badge tone="neutral">first come, first served</Badge>;
    default:
      return mode === "strict" ? (
        <Badge tone="warning">nothing spare</Badge>
      ) : (
        <Badge tone="good">lends what is spare</Badge>
      );
  }
}
