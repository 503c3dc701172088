import { dimensionName } from "@quota/core";
import type { DimensionChangeJson, KeyChangeJson, PlanChangeJson } from "@quota/http";
import { useState } from "react";
import { Badge } from "../ui/Badge.js";
import { Button } from "../ui/Button.js";
import { bareAmountText, wholeText } from "../ui/formats.js";
import { KeyName } from "../ui/KeyName.js";
import { courseText, lengthText, limitText } from "./dimensionText.js";
import { TableFrame } from "../ui/TableFrame.js";
import styles from "./PlanPreviewTable.module.css";

/** What a plan would change for each key, those who would be over their share first. */
export function PlanPreviewTable({ preview }: { readonly preview: PlanChangeJson }) {
  const { dimensions, poolId } = preview;
  return (
    <section className={styles.preview} aria-label="What it would change">
      <p>{summary(preview)}</p>
      {poolId !== undefined &&
        dimensions
          .filter(({ change }) => change !== "same")
          .map((dimension) => (
            <Changed key={dimensionName(dimension.unit, dimension.window)} dimension={dimension} />
          ))}
    </section>
  );
}

function Changed({ dimension }: { readonly dimension: DimensionChangeJson }) {
  const { unit, perKey } = dimension;
  const [isWhole, setWhole] = useState(false);
  const sorted = perKey.toSorted((a, b) => overBy(b) - overBy(a));
  const shown = isWhole ? sorted : sorted.slice(0, FIRST);
  const hasShares = perKey.some((key) => (key.fairShare ?? key.fairShareBefore) !== undefined);
  const amount = (known: number | undefined): string =>
    known === undefined ? "–" : bareAmountText(unit, known);
  const title = `${unit} per ${lengthText(dimension)}`;
  return (
    <div className={styles.dimension}>
      <h3>
        {title} <span className={styles.change}>{changeText(dimension)}</span>
      </h3>
      {hasShares && (
        <TableFrame label={`Keys: ${title}`}>
          <table className="table">
            <thead>
              <tr>
                <th scope="col">Key</th>
                <th scope="col" className="figure">
                  Used
                </th>
                <th scope="col" className="figure">
                  Share<span className="visually-hidden"> now and then</span>
                </th>
                <th scope="col">Then</th>
              </tr>
            </thead>
            <tbody>
              {shown.map((key) => (
                <tr key={key.apiKeyId}>
                  <th scope="row">
                    <KeyName id={key.apiKeyId} />
                  </th>
                  <td className="figure">{amount(key.used)}</td>
                  <td className="figure">
                    {amount(key.fairShareBefore)} → {amount(key.fairShare)}
                  </td>
                  <td>
                    <Then dimension={dimension} entry={key} />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </TableFrame>
      )}
      {hasShares && perKey.length > FIRST && (
        <div>
          <Button look="quiet" aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
            {isWhole ? `Only the first ${String(FIRST)}` : `All ${wholeText(perKey.length)} keys`}
          </Button>
        </div>
      )}
    </div>
  );
}

/** What becomes of a key, in words. */
function Then({
  dimension,
  entry,
}: {
  readonly dimension: DimensionChangeJson;
  readonly entry: KeyChangeJson;
}) {
  if (dimension.change === "removed") return <Badge tone="neutral">not limited by it</Badge>;
  if (entry.fairShare === undefined) return <Badge tone="neutral">counted, no share</Badge>;
  return overBy(entry) > 0 ? (
    <Badge tone="warning">over by {bareAmountText(dimension.unit, overBy(entry))}</Badge>
  ) : (
    <Badge tone="good">within its share</Badge>
  );
}

function summary({ poolId, dimensions }: PlanChangeJson): string {
  if (poolId === undefined) return "No pool shares this connection yet, so nobody’s share changes.";
  if (dimensions.every(({ change }) => change === "same")) return "Nobody’s share changes.";
  const over = new Set(
    dimensions.flatMap(({ perKey }) =>
      perKey.filter((key) => overBy(key) > 0).map(({ apiKeyId }) => apiKeyId),
    ),
  );
  if (over.size === 0) return "With what is used now, nobody would be over their share.";
  const who =
    over.size === 1
      ? "One key would be over its share"
      : `${wholeText(over.size)} keys would be over their share`;
  return `${who} with what is used now: that borrows while the pool is generous, and binds once it is strict.`;
}

/** How much more than its share it would use; 0 where it would not, or nothing is known of it. */
function overBy({ deficit = 0 }: KeyChangeJson): number {
  return Math.max(0, deficit);
}

/** What becomes of a dimension, in words. */
function changeText(dimension: DimensionChangeJson): string {
  const { change, before } = dimension;
  if (change === "removed") return "is no longer counted by the plan";
  if (change === "added") return `is new: ${limitText(dimension)}, ${courseText(dimension)}`;
  if (before === undefined || change === "same") return "stays as it is";
  const limits = [limitText(before), limitText(dimension)];
  const courses = [courseText(before), courseText(dimension)];
  return [
    ...(limits[0] === limits[1] ? [limits[1]] : [limits.join(" → ")]),
    ...(courses[0] === courses[1] ? [] : [courses.join(" → ")]),
  ].join("; ");
}

/** As many as one reads at a glance. */
const FIRST = 10;
