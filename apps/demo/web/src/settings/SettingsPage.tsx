import { Page } from "../ui/Page.js";
import { QuotaStoreSection } from "./QuotaStoreSection.js";
import { SharingSection } from "./SharingSection.js";

/** Where use is counted, and the numbers by which it is shared. */
export default function SettingsPage() {
  return (
    <Page title="Settings" about="Where use is counted, and the numbers that hold for every pool.">
      <QuotaStoreSection />
      <SharingSection />
    </Page>
  );
}
