import type { ReactNode } from "react";
import { Dollars } from "../ui/Dollars.js";
import { wholeText } from "../ui/formats.js";
import type { SpendJson } from "./spendJson.js";
import styles from "./SpendTotals.module.css";

/** A range of time in four numbers. */
export function SpendTotals({ spend }: { readonly spend: SpendJson | undefined }) {
  const total = spend?.total;
  return (
    <dl className={styles.totals}>
      <Total name="Spent" note="in the ledger">
        {total && <Dollars of={total.costUsd} />}
      </Total>
      <Total
        name="On its way"
        note={
          total?.hotUsd === null
            ? "the queue is stopped, cannot be read, or is long: see below"
            : "answered, not in the ledger yet"
        }
      >
        {total && (total.hotUsd === null ? "unknown" : <Dollars of={total.hotUsd} />)}
      </Total>
      <Total name="Requests" note="that were charged">
        {total && wholeText(total.requests)}
      </Total>
      <Total name="Without a price" note="in no amount here">
        {total && wholeText(total.unpriced)}
      </Total>
    </dl>
  );
}

function Total({
  name,
  note,
  children,
}: {
  readonly name: string;
  readonly note: string;
  readonly children: ReactNode;
}) {
  return (
    <div className={styles.total}>
      <dt>{name}</dt>
      <dd>{children ?? "…"}</dd>
      <dd className={styles.note}>{note}</dd>
    </div>
  );
}
