import { Page } from "../ui/Page.js";

export default function ConnectionsPage() {
  return <Page title="Connections">{null}</Page>;
}
