import { Link } from "wouter";
import { wholeText } from "../ui/formats.js";
import { Notice } from "../ui/Notice.js";

/** Some requests cost nobody knows what: what that means, and what to do. */
export function UnpricedNotice({ unpriced }: { readonly unpriced: number }) {
  return (
    <Notice tone="warning">
      {unpriced === 1
        ? "1 request was to a model without a price, and is in no amount here."
        : `${wholeText(unpriced)} requests were to models without a price, and are in no amount here.`}{" "}
      The table of models names them. Give the model a price in the <code>prices</code> of its connection (
      <code>PATCH /api/connections/…</code>); from then on it is charged. What was asked before stays
      uncharged. A budget can refuse such requests: see <Link href="/dashboard/keys">Keys</Link>.
    </Notice>
  );
}
