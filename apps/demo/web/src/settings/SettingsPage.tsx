import { Page } from "../ui/Page.js";

export default function SettingsPage() {
  return <Page title="Settings">{null}</Page>;
}
