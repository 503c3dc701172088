import { Page } from "../ui/Page.js";

export default function KeysPage() {
  return <Page title="Keys">{null}</Page>;
}
