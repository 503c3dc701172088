import { Suspense, useState } from "react";
import { ErrorState } from "../ui/ErrorState.js";
import { lazyPart } from "../ui/lazyPart.js";
import { Page } from "../ui/Page.js";
import { Budgets } from "./Budgets.js";
import { DeadLetters } from "./DeadLetters.js";
import { QueueHealth } from "./QueueHealth.js";
import { RangeChoice, type SpendRangeDays } from "./RangeChoice.js";
import { SpendTable } from "./SpendTable.js";
import { SpendTotals } from "./SpendTotals.js";
import { UnpricedNotice } from "./UnpricedNotice.js";
import { useSpend } from "./useSpend.js";
import styles from "./spend.module.css";

const SpendByDay = lazyPart(async () => (await import("./SpendByDay.js")).SpendByDay);

/** Money: what was spent, by whom and on what, against which budgets, and whether all of it is in the ledger. */
export default function SpendPage() {
  const [days, setDays] = useState<SpendRangeDays>(30);
  const { data, error, refetch } = useSpend("day", days);
  return (
    <Page
      title="Spend"
      about="What answers cost, by the prices of their models. Each request is charged once, to its key and to whatever that belongs to."
      actions={<RangeChoice days={days} onChoose={setDays} />}
    >
      <section className={styles.card} aria-label="Spend over time">
        <SpendTotals spend={data} />
        {data === undefined && error !== null && (
          <ErrorState what="The spend" error={error} onRetry={() => void refetch()} />
        )}
        {data !== undefined && (
          <div className={styles.drawing}>
            <Suspense fallback={null}>
              <SpendByDay spend={data} />
            </Suspense>
          </div>
        )}
      </section>
      {data !== undefined && data.total.unpriced > 0 && <UnpricedNotice unpriced={data.total.unpriced} />}
      <div className={styles.tables}>
        <SpendTable by="payers" days={days} />
        <SpendTable by="models" days={days} />
      </div>
      <Budgets />
      <QueueHealth />
      <DeadLetters />
    </Page>
  );
}
