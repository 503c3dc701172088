import type { Lending } from "@quota/core";
import type { KeyLendingJson, LendingPreviewJson, UnderRuleJson } from "@quota/http";
import { useState } from "react";
import { Badge } from "../ui/Badge.js";
import { Button } from "../ui/Button.js";
import { ErrorState } from "../ui/ErrorState.js";
import { bareAmountText, wholeText, windowText } from "../ui/formats.js";
import { KeyName } from "../ui/KeyName.js";
import { lendingText } from "../ui/lendingText.js";
import { Moment } from "../ui/Moment.js";
import { TableFrame } from "../ui/TableFrame.js";
import styles from "./LendingModal.module.css";
import { useLendingPreview } from "./useLendingPreview.js";

/** Who may use more now under another rule, and who less. */
export function LendingPreview({ poolId, lending }: { readonly poolId: string; readonly lending: Lending }) {
  const { data, error, refetch, isPlaceholderData } = useLendingPreview(poolId, lending);
  if (data === undefined)
    return error === null ? (
      <p className={styles.about}>Asking who gains and who loses…</p>
    ) : (
      <ErrorState what="The comparison" error={error} onRetry={() => void refetch()} />
    );
  return (
    <section className={styles.preview} aria-label="Who gains and who loses" aria-busy={isPlaceholderData}>
      <p className={styles.about}>
        What each key may use now, as long as nobody else uses anything: under {lendingText(data.from)}, and
        under {lendingText(data.to)}.
      </p>
      {data.dimensions.map((dimension) => (
        <Compared key={`${dimension.unit}/${dimension.window}`} dimension={dimension} />
      ))}
    </section>
  );
}

type DimensionLending = LendingPreviewJson["dimensions"][number];

function Compared({ dimension: { unit, window, perKey } }: { readonly dimension: DimensionLending }) {
  const [isWhole, setWhole] = useState(false);
  // Who loses first, then who gains.
  const sorted = perKey.toSorted((a, b) => rank(a) - rank(b) || Math.abs(gain(b)) - Math.abs(gain(a)));
  const shown = isWhole ? sorted : sorted.slice(0, FIRST);
  const title = `${unit} per ${windowText(window)}`;
  return (
    <div className={styles.dimension}>
      <h3>
        {title} <span className={styles.count}>{countText(perKey)}</span>
      </h3>
      {perKey.length > 0 && (
        <TableFrame label={`Who gains and who loses: ${title}`}>
          <table className="table">
            <thead>
              <tr>
                <th scope="col">Key</th>
                <th scope="col" className="figure">
                  Now
                </th>
                <th scope="col" className="figure">
                  Then
                </th>
                <th scope="col">Change</th>
              </tr>
            </thead>
            <tbody>
              {shown.map((key) => (
                <tr key={key.apiKeyId}>
                  <th scope="row">
                    <KeyName id={key.apiKeyId} />
                  </th>
                  <td className="figure">
                    <Under unit={unit} rule={key.before} />
                  </td>
                  <td className="figure">
                    <Under unit={unit} rule={key.after} />
                  </td>
                  <td>
                    <Change unit={unit} by={gain(key)} />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </TableFrame>
      )}
      {perKey.length > FIRST && (
        <div>
          <Button look="quiet" aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
            {isWhole ? `Only the first ${String(FIRST)}` : `All ${wholeText(perKey.length)} keys`}
          </Button>
        </div>
      )}
    </div>
  );
}

function Under({
  unit,
  rule: { available, retryAt },
}: {
  readonly unit: DimensionLending["unit"];
  readonly rule: UnderRuleJson;
}) {
  return (
    <>
      {available === "unlimited" ? available : bareAmountText(unit, available)}
      {retryAt !== undefined && (
        <span className={styles.opens}>
          opens <Moment at={retryAt} />
        </span>
      )}
    </>
  );
}

function Change({ unit, by }: { readonly unit: DimensionLending["unit"]; readonly by: number }) {
  if (by === 0) return <Badge tone="neutral">as before</Badge>;
  const amount = Number.isFinite(by) ? bareAmountText(unit, Math.abs(by)) : "without limit";
  return by > 0 ? <Badge tone="good">gains {amount}</Badge> : <Badge tone="danger">loses {amount}</Badge>;
}

/** How much more a key may use; below 0, how much less. */
function gain({ before, after }: KeyLendingJson): number {
  if (before.available === after.available) return 0;
  return amountOf(after) - amountOf(before);
}

function amountOf({ available }: UnderRuleJson): number {
  return available === "unlimited" ? Number.POSITIVE_INFINITY : available;
}

function rank(key: KeyLendingJson): number {
  const by = gain(key);
  return by < 0 ? 0 : by > 0 ? 1 : 2;
}

function countText(perKey: readonly KeyLendingJson[]): string {
  if (perKey.length === 0) return "no key has an allocation";
  const [lose = 0, gains = 0, same = 0] = [0, 1, 2].map(
    (n) => perKey.filter((key) => rank(key) === n).length,
  );
  return [
    ...(gains > 0 ? [`${wholeText(gains)} ${gains === 1 ? "gains" : "gain"}`] : []),
    ...(lose > 0 ? [`${wholeText(lose)} ${lose === 1 ? "loses" : "lose"}`] : []),
    ...(same > 0 ? [`${wholeText(same)} as before`] : []),
  ].join(", ");
}

/** As many as one reads at a glance. */
const FIRST = 10;
