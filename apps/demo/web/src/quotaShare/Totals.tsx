import type { ReactNode } from "react";
import { useOverview } from "../api/useOverview.js";
import { Name } from "../ui/Name.js";
import { percentText, wholeText, windowText } from "../ui/formats.js";
import styles from "./Totals.module.css";

/** All pools in five numbers. */
export function Totals() {
  const { data } = useOverview();
  const fullest = data?.fullest;
  return (
    <dl className={styles.totals}>
      <Total name="Pools">{data && wholeText(data.pools)}</Total>
      <Total name="Keys">{data && wholeText(data.keys)}</Total>
      <Total name="Fullest">
        {data && (fullest === undefined ? "none has a limit" : percentText(fullest.globalUsedPercent))}
        {fullest !== undefined && (
          <span className={styles.where}>
            {fullest.unit} per {windowText(fullest.window)}, <Name>{fullest.poolName}</Name>
          </span>
        )}
      </Total>
      <Total name="Keys that borrow">{data && wholeText(data.keysBorrowing)}</Total>
      <Total name="Refused in the last hour">{data && wholeText(data.refusalsLastHour)}</Total>
    </dl>
  );
}

function Total({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <div className={styles.total}>
      <dt>{name}</dt>
      <dd>{children ?? "…"}</dd>
    </div>
  );
}
