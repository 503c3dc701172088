import type { ShadowDecisionJson } from "@quota/http";
import { reasonText } from "../explain/reasonText.js";
import { Badge } from "../ui/Badge.js";
import { LENDING_WORDS, lendingRule } from "../ui/lendingText.js";

/** What a decision would have been under the pool's shadow rule. */
export function ShadowVerdict({ shadow }: { readonly shadow: ShadowDecisionJson | undefined }) {
  if (shadow === undefined) return null;
  const { lending, status, reason } = shadow;
  const { name } = LENDING_WORDS[lendingRule(lending)];
  switch (status) {
    case "allowed":
      return <Badge tone="good">{name}: would pass</Badge>;
    case "deprioritized":
      return <Badge tone="warning">{name}: would pass, behind others</Badge>;
    case "refused":
      return (
        <Badge tone="danger">
          {name}: would refuse{reason !== undefined && `, ${reasonText(reason)}`}
        </Badge>
      );
  }
}
