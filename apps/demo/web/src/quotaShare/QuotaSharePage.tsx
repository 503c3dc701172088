import { lazy, Suspense, useState } from "react";
import { useOverview } from "../api/useOverview.js";
import { Button } from "../ui/Button.js";
import { EmptyState } from "../ui/EmptyState.js";
import { ErrorState } from "../ui/ErrorState.js";
import { Notice } from "../ui/Notice.js";
import { Page } from "../ui/Page.js";
import { CreatePoolModal } from "../poolEditing/CreatePoolModal.js";
import { LegacyPoolsNotice } from "../legacyPools/LegacyPoolsNotice.js";
import { PoolCard } from "./PoolCard.js";
import { QuotaConceptCard } from "./QuotaConceptCard.js";
import { Totals } from "./Totals.js";
import { usePools } from "../api/usePools.js";

const TrafficPanel = lazy(() => import("../traffic/TrafficPanel.js"));

/** Up to this many pools show their keys at once. */
const OPEN_AT_ONCE = 3;

/** Who uses what of which account, and why. */
export function QuotaSharePage() {
  const { data: pools, error, refetch } = usePools();
  const { data: overview } = useOverview();
  const [isCreating, setCreating] = useState(false);
  return (
    <Page
      title="Pools"
      about="One provider account, shared by many keys."
      actions={
        <Button look="primary" onClick={() => setCreating(true)}>
          Create pool
        </Button>
      }
    >
      <QuotaConceptCard />
      <LegacyPoolsNotice />
      {overview?.logins.map((sentence) => (
        <Notice key={sentence} tone="warning">
          {sentence}
        </Notice>
      ))}
      {overview !== undefined && overview.store.reason !== undefined && (
        <Notice tone="warning">{overview.store.reason}</Notice>
      )}
      <Totals />
      {overview?.traffic === true && (
        <Suspense fallback={null}>
          <TrafficPanel />
        </Suspense>
      )}
      {error !== null && pools === undefined && (
        <ErrorState what="The pools" error={error} onRetry={() => void refetch()} />
      )}
      {pools?.length === 0 && (
        <EmptyState
          title="No pool yet"
          action={
            <Button look="primary" onClick={() => setCreating(true)}>
              Create the first pool
            </Button>
          }
        >
          A pool shares one connection between keys. Until there is one, every key may use a connection
          without a limit.
        </EmptyState>
      )}
      {pools?.map((pool) => (
        <PoolCard key={pool.id} pool={pool} startsOpen={pools.length <= OPEN_AT_ONCE} />
      ))}
      {isCreating && <CreatePoolModal onClose={() => setCreating(false)} />}
    </Page>
  );
}
