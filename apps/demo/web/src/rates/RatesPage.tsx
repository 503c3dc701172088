import { Page } from "../ui/Page.js";

export default function RatesPage() {
  return <Page title="Rates">{null}</Page>;
}
