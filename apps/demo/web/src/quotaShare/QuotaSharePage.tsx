import type { PoolJson } from "@quota/http";
import { Suspense, useCallback, useState } from "react";
import { useOverview } from "../api/useOverview.js";
import { usePools } from "../api/usePools.js";
import { LegacyPoolsNotice } from "../legacyPools/LegacyPoolsNotice.js";
import { Button } from "../ui/Button.js";
import { EmptyState } from "../ui/EmptyState.js";
import { ErrorState } from "../ui/ErrorState.js";
import { lazyPart } from "../ui/lazyPart.js";
import { Notice } from "../ui/Notice.js";
import { Page } from "../ui/Page.js";
import { PoolCard } from "./PoolCard.js";
import { QuotaConceptCard } from "./QuotaConceptCard.js";
import { Totals } from "./Totals.js";

const TrafficPanel = lazyPart(async () => (await import("../traffic/TrafficPanel.js")).default);
const CreatePoolModal = lazyPart(
  async () => (await import("../poolEditing/CreatePoolModal.js")).CreatePoolModal,
);
const EditAllocationsModal = lazyPart(
  async () => (await import("../poolEditing/EditAllocationsModal.js")).EditAllocationsModal,
);
const LendingModal = lazyPart(async () => (await import("../lending/LendingModal.js")).LendingModal);
const DeletePoolModal = lazyPart(
  async () => (await import("../poolEditing/DeletePoolModal.js")).DeletePoolModal,
);

/** Up to this many pools show their keys at once. */
const OPEN_AT_ONCE = 3;

/** Who uses what of which account, and why. */
export function QuotaSharePage() {
  const { data: pools, error, refetch } = usePools();
  const { data: overview } = useOverview();
  // Held here and not by a pool's card: a pool that somebody else deletes must not take along what is being typed about it.
  const [shown, setShown] = useState<Shown>();
  const close = useCallback(() => setShown(undefined), []);
  const onEdit = useCallback((pool: PoolJson) => setShown({ what: "edit", pool }), []);
  const onLending = useCallback((pool: PoolJson) => setShown({ what: "lending", pool }), []);
  const onDelete = useCallback((pool: PoolJson) => setShown({ what: "delete", pool }), []);
  return (
    <Page
      title="Pools"
      about="One provider account, shared by many keys."
      actions={
        <Button look="primary" onClick={() => setShown({ what: "create" })}>
          Create pool
        </Button>
      }
    >
      <Suspense fallback={null}>
        {shown?.what === "create" && <CreatePoolModal onClose={close} />}
        {shown?.what === "edit" && <EditAllocationsModal pool={shown.pool} onClose={close} />}
        {shown?.what === "lending" && <LendingModal pool={shown.pool} onClose={close} />}
        {shown?.what === "delete" && <DeletePoolModal pool={shown.pool} onClose={close} />}
      </Suspense>
      <QuotaConceptCard />
      <LegacyPoolsNotice />
      {overview?.logins.map(({ connectionId, reason }) => (
        <Notice key={connectionId} tone="warning">
          {reason}
        </Notice>
      ))}
      {overview?.store.reason !== undefined && <Notice tone="warning">{overview.store.reason}</Notice>}
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
            <Button look="primary" onClick={() => setShown({ what: "create" })}>
              Create the first pool
            </Button>
          }
        >
          A pool shares one connection between keys. Until there is one, every key may use a connection
          without a limit.
        </EmptyState>
      )}
      {pools?.map((pool) => (
        <PoolCard
          key={pool.id}
          pool={pool}
          startsOpen={pools.length <= OPEN_AT_ONCE}
          onEdit={onEdit}
          onLending={onLending}
          onDelete={onDelete}
        />
      ))}
    </Page>
  );
}

/** The dialog in front of the page. */
type Shown =
  { readonly what: "create" } | { readonly what: "edit" | "lending" | "delete"; readonly pool: PoolJson };
