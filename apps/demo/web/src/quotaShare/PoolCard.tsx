import type { PoolJson, UsageJson } from "@quota/http";
import { Tabs } from "@base-ui/react/tabs";
import { memo, Suspense, useState } from "react";
import { useKeyOrdinals } from "../api/useKeyOrdinals.js";
import { Button } from "../ui/Button.js";
import { ErrorState } from "../ui/ErrorState.js";
import { windowText } from "../ui/formats.js";
import { lazyPart } from "../ui/lazyPart.js";
import { Name } from "../ui/Name.js";
import { AllocationTable } from "./AllocationTable.js";
import { DimensionBar } from "./DimensionBar.js";
import { LendingSummary } from "./LendingSummary.js";
import styles from "./PoolCard.module.css";
import { PoolState } from "./PoolState.js";
import { useOnScreen } from "./useOnScreen.js";
import { usePoolUsage } from "./usePoolUsage.js";

const BurnRateChart = lazyPart(async () => (await import("./BurnRateChart.js")).default);
const RecentDecisions = lazyPart(async () => (await import("./RecentDecisions.js")).RecentDecisions);
const ReserveOverTime = lazyPart(async () => (await import("./ReserveOverTime.js")).ReserveOverTime);
const WhyModal = lazyPart(async () => (await import("./WhyModal.js")).WhyModal);

export interface PoolCardProps {
  readonly pool: PoolJson;
  /** Whether its keys are shown from the start. */
  readonly startsOpen: boolean;
  readonly onEdit: (pool: PoolJson) => void;
  readonly onLending: (pool: PoolJson) => void;
  readonly onDelete: (pool: PoolJson) => void;
}

/** One shared account: how full it is, who uses it, and what can be changed about that. Not drawn anew when a dialog opens in front of it. */
export const PoolCard = memo(function PoolCard(props: PoolCardProps) {
  const { pool, startsOpen, onEdit, onLending, onDelete } = props;
  const { ref, isSeen } = useOnScreen<HTMLElement>();
  const { data, error, refetch, dataUpdatedAt } = usePoolUsage(pool.id, { isSeen });
  const ordinals = useKeyOrdinals();
  const [isOpen, setOpen] = useState(startsOpen);
  const ahead = data === undefined ? 0 : roughly(data.generatedAt - dataUpdatedAt);
  const keys = pool.allocations.length;
  return (
    <section ref={ref} className={styles.card} aria-label={`Pool ${pool.name.slice(0, 80)}`}>
      <header className={styles.head}>
        <div>
          <h2>
            <Name>{pool.name}</Name>
          </h2>
          <p className={styles.about}>
            <Name>{pool.connectionId}</Name> · {keys === 1 ? "1 allocation" : `${String(keys)} allocations`}
          </p>
        </div>
        <PoolState usage={data} error={error} />
        <div className={styles.actions}>
          <Button onClick={() => onEdit(pool)}>Edit allocations</Button>
          <Button look="quiet" onClick={() => onDelete(pool)}>
            Delete
          </Button>
        </div>
      </header>
      <LendingSummary pool={pool} isSeen={isSeen} onChange={onLending} />
      {error !== null && data === undefined && (
        <ErrorState what="The use of this pool" error={error} onRetry={() => void refetch()} />
      )}
      {data === undefined && error === null && <div className={styles.waiting} />}
      {data !== undefined && (
        <>
          {data.dimensions.length === 0 && (
            <p className={styles.about}>
              Nothing is limited here: the plan of this connection has no dimensions. Set them under Plans.
            </p>
          )}
          <div className={styles.bars}>
            {data.dimensions.map((usage) => (
              <div key={`${usage.unit}/${usage.window}`} className={styles.dimension}>
                <DimensionBar usage={usage} ordinals={ordinals} ahead={ahead} />
                {isOpen && usage.lending === "reserve" && (
                  <Suspense fallback={<div className={styles.drawing} />}>
                    <ReserveOverTime pool={pool} usage={usage} />
                  </Suspense>
                )}
              </div>
            ))}
          </div>
          <div>
            <Button look="quiet" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
              {isOpen ? "Hide details" : "Keys, burn rate and decisions"}
            </Button>
          </div>
          {isOpen && <Details pool={pool} usage={data} ahead={ahead} />}
        </>
      )}
    </section>
  );
});

function Details({
  pool,
  usage,
  ahead,
}: {
  readonly pool: PoolJson;
  readonly usage: UsageJson;
  readonly ahead: number;
}) {
  const [chosen, setChosen] = useState<string>();
  const [why, setWhy] = useState<string>();
  const names = usage.dimensions.map(({ unit, window }) => `${unit}/${window}`);
  const at = Math.max(0, names.indexOf(chosen ?? ""));
  const dimension = usage.dimensions[at];
  return (
    <Tabs.Root defaultValue="keys" className={styles.details}>
      <Tabs.List className={styles.tabs}>
        <Tabs.Tab value="keys">Keys</Tabs.Tab>
        <Tabs.Tab value="burn">Burn rate</Tabs.Tab>
        <Tabs.Tab value="decisions">Recent decisions</Tabs.Tab>
      </Tabs.List>
      <Tabs.Panel value="keys" className={styles.panel}>
        {usage.dimensions.length > 1 && (
          <label className={styles.choice}>
            Count
            <select value={names[at]} onChange={({ target }) => setChosen(target.value)}>
              {usage.dimensions.map(({ unit, window }, i) => (
                <option key={names[i]} value={names[i]}>
                  {unit} per {windowText(window)}
                </option>
              ))}
            </select>
          </label>
        )}
        {dimension !== undefined && (
          <AllocationTable usage={dimension} allocations={pool.allocations} ahead={ahead} onWhy={setWhy} />
        )}
      </Tabs.Panel>
      <Tabs.Panel value="burn" className={styles.panel}>
        <Suspense fallback={<div className={styles.waiting} />}>
          <BurnRateChart poolId={pool.id} />
        </Suspense>
      </Tabs.Panel>
      <Tabs.Panel value="decisions" className={styles.panel}>
        <Suspense fallback={<div className={styles.waiting} />}>
          <RecentDecisions pool={pool} />
        </Suspense>
      </Tabs.Panel>
      <Suspense fallback={null}>
        {why !== undefined && <WhyModal pool={pool} apiKeyId={why} onClose={() => setWhy(undefined)} />}
      </Suspense>
    </Tabs.Root>
  );
}

/** To whole seconds, so that the way of an answer, a little different each time, draws nothing anew. */
function roughly(ms: number): number {
  return Math.round(ms / 1000) * 1000;
}
