import { Badge } from "../ui/Badge.js";

/** Whether shares bind. */
export function ModeBadge({ mode }: { readonly mode: "generous" | "strict" | "unknown" }) {
  switch (mode) {
    case "generous":
      return <Badge tone="good">generous</Badge>;
    case "strict":
      return <Badge tone="warning">strict</Badge>;
    case "unknown":
      return <Badge tone="neutral">no limit known</Badge>;
  }
}
