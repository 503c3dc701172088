import { Page } from "../ui/Page.js";

/** Who uses what of which account, and why. */
export function QuotaSharePage() {
  return <Page title="Pools">{null}</Page>;
}
