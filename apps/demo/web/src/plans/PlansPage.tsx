import { Page } from "../ui/Page.js";

export default function PlansPage() {
  return <Page title="Plans">{null}</Page>;
}
