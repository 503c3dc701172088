import { ErrorState } from "../ui/ErrorState.js";
import { QuotaStoreForm } from "./QuotaStoreForm.js";
import { QuotaStoreFacts } from "./QuotaStoreFacts.js";
import { useQuotaStore } from "./useQuotaStore.js";
import styles from "./Section.module.css";

/** Which store counts, how it fares, and how to change it. */
export function QuotaStoreSection() {
  const { data: status, error, refetch } = useQuotaStore();
  return (
    <section className={styles.section} aria-labelledby="quota-store">
      <h2 id="quota-store">Quota store</h2>
      <p className={styles.about}>
        SQLite counts for gateways on this machine; Redis for any number of gateways anywhere. Pools, plans
        and keys stay where they are.
      </p>
      {status === undefined ? (
        error !== null && <ErrorState what="The quota store" error={error} onRetry={() => void refetch()} />
      ) : (
        <>
          <QuotaStoreFacts status={status} />
          <QuotaStoreForm status={status} />
        </>
      )}
    </section>
  );
}
