import type { DimensionUsageJson } from "@quota/http";
import { memo, type ReactNode } from "react";
import { Badge } from "../ui/Badge.js";
import { Countdown } from "../ui/Countdown.js";
import { amountText, bareAmountText, nameText, percentText, wholeText, windowText } from "../ui/formats.js";
import { keyColour } from "../ui/keyColour.js";
import styles from "./DimensionBar.module.css";
import { ModeBadge } from "./ModeBadge.js";

export interface DimensionBarProps {
  readonly usage: DimensionUsageJson;
  /** Of the keys, for their colours. */
  readonly ordinals: ReadonlyMap<string, number>;
  /** How far the gateway's clock is ahead of this machine's. */
  readonly ahead: number;
}

/** One dimension of a pool as a bar: whose use it is, what is in flight, what came from outside, and what is free; below it, whose share is how wide. */
export const DimensionBar = memo(function DimensionBar({ usage, ordinals, ahead }: DimensionBarProps) {
  const { unit, window, limit, globalUsedPercent, opensAt, anchoredBy, reading } = usage;
  const whole = wholeOf(usage);
  // Where more was used than planned there is less than what is reserved.
  const reservedPart = Math.min(usage.reserved ?? 0, usage.free ?? 0);
  const shares = usage.perKey.filter(({ fairShare }) => fairShare !== undefined && fairShare > 0);
  return (
    <div className={styles.dimension}>
      <div className={styles.head}>
        <h3>
          {unit} per {windowText(window)}
        </h3>
        <ModeBadge mode={usage.mode} lending={usage.lending} />
        {reading !== undefined && (
          <Badge tone={reading.stale ? "warning" : "good"}>
            provider says {percentText(reading.utilization)}
            {reading.stale ? ", a while ago" : ""}
          </Badge>
        )}
        <span className={styles.reset}>
          {opensAt === undefined ? (
            "rolling window"
          ) : (
            <>
              {anchoredBy === "rolling" ? "room again in " : "resets in "}
              <Countdown to={opensAt} ahead={ahead} />
            </>
          )}
        </span>
      </div>
      <div className={styles.bar} role="img" aria-label={spoken(usage)}>
        {usage.perKey.map(({ apiKeyId, consumed }) => {
          if (!(consumed > 0)) return null;
          const { colour, pattern } = keyColour(ordinals.get(apiKeyId));
          return (
            <span
              key={apiKeyId}
              className={styles.part}
              data-pattern={pattern}
              style={{ width: widthOf(consumed, whole), backgroundColor: colour }}
              title={`${nameText(apiKeyId)}: ${amountText(unit, consumed)}`}
            />
          );
        })}
        <Part
          name="keys without an allocation"
          look="unallocated"
          amount={usage.unallocated}
          {...{ unit, whole }}
        />
        <Part
          name="from outside of this gateway"
          look="outside"
          amount={usage.outside}
          {...{ unit, whole }}
        />
        <Part name="in flight" look="held" amount={usage.held} {...{ unit, whole }} />
        <Part name="reserved for keys" look="reserved" amount={reservedPart} {...{ unit, whole }} />
        {limit !== "unknown" && usage.strictFrom !== undefined && (
          <span
            className={styles.threshold}
            style={{ left: widthOf(usage.strictFrom * limit, whole) }}
            title={`strict from ${percentText(usage.strictFrom)} on`}
          />
        )}
      </div>
      {shares.length > 0 && (
        <div className={styles.shares} aria-hidden="true">
          {shares.map(({ apiKeyId, fairShare = 0 }) => {
            const { colour, pattern } = keyColour(ordinals.get(apiKeyId));
            return (
              <span
                key={apiKeyId}
                className={styles.share}
                data-pattern={pattern}
                style={{ width: widthOf(fairShare, whole), backgroundColor: colour }}
                title={`share of ${nameText(apiKeyId)}: ${amountText(unit, fairShare)}`}
              />
            );
          })}
        </div>
      )}
      <dl className={styles.amounts}>
        <Amount name="used">
          {limit === "unknown"
            ? amountText(unit, usage.used)
            : `${bareAmountText(unit, usage.used)} of ${amountText(unit, limit)}`}
          {globalUsedPercent !== null && ` (${percentText(globalUsedPercent)})`}
        </Amount>
        <Amount name="in flight" look="held">
          {bareAmountText(unit, usage.held)}
        </Amount>
        <Amount name="outside" look="outside">
          {bareAmountText(unit, usage.outside)}
        </Amount>
        {usage.unallocated > 0 && (
          <Amount name="without an allocation" look="unallocated">
            {bareAmountText(unit, usage.unallocated)}
          </Amount>
        )}
        {usage.reserved === undefined || usage.spare === undefined ? (
          <Amount name="free" look="free">
            {usage.free === undefined ? "limit unknown" : bareAmountText(unit, usage.free)}
          </Amount>
        ) : (
          <>
            <Amount name={`reserved for ${holdersText(usage)}`} look="reserved">
              {bareAmountText(unit, usage.reserved)}
            </Amount>
            <Amount name="spare" look="free">
              {bareAmountText(unit, Math.max(0, usage.spare))}
            </Amount>
          </>
        )}
      </dl>
    </div>
  );
});

type Look = "unallocated" | "outside" | "held" | "reserved" | "free";

function Part({
  name,
  look,
  amount,
  unit,
  whole,
}: {
  readonly name: string;
  readonly look: Look;
  readonly amount: number;
  readonly unit: DimensionUsageJson["unit"];
  readonly whole: number;
}) {
  if (!(amount > 0)) return null;
  return (
    <span
      className={`${styles.part} ${styles[look]}`}
      style={{ width: widthOf(amount, whole) }}
      title={`${name}: ${amountText(unit, amount)}`}
    />
  );
}

function Amount({
  name,
  look,
  children,
}: {
  readonly name: string;
  readonly look?: Look;
  readonly children: ReactNode;
}) {
  return (
    <div className={styles.amount}>
      <dt>
        {look !== undefined && <span className={`${styles.sign} ${styles[look]}`} aria-hidden="true" />}
        {name}
      </dt>
      <dd>{children}</dd>
    </div>
  );
}

/** What the whole width stands for: the limit, or all that was used where that is more. */
function wholeOf({ limit, used }: DimensionUsageJson): number {
  return Math.max(limit === "unknown" ? 0 : limit, used, Number.MIN_VALUE);
}

function widthOf(amount: number, whole: number): string {
  return `${String((100 * Math.max(0, amount)) / whole)}%`;
}

function holdersText({ perKey }: DimensionUsageJson): string {
  const holders = perKey.filter(({ reserve = 0 }) => reserve > 0).length;
  return holders === 1 ? "1 key" : `${wholeText(holders)} keys`;
}

/** The bar in a sentence. The table below it has every key. */
function spoken(usage: DimensionUsageJson): string {
  const { unit, window, limit, globalUsedPercent, perKey, held, outside, free, reserved, spare } = usage;
  const most = [...perKey].sort((a, b) => b.consumed - a.consumed).filter(({ consumed }) => consumed > 0);
  const named = most
    .slice(0, 5)
    .map(({ apiKeyId, consumed }) => `${nameText(apiKeyId)} ${amountText(unit, consumed)}`);
  const others = most.length > named.length ? [`${String(most.length - named.length)} more keys`] : [];
  const used =
    globalUsedPercent === null || limit === "unknown"
      ? "no limit is known"
      : `${percentText(globalUsedPercent)} of ${amountText(unit, limit)} used`;
  return [
    `${unit} per ${windowText(window)}: ${used}`,
    ...named,
    ...others,
    `in flight ${amountText(unit, held)}`,
    `outside ${amountText(unit, outside)}`,
    ...(free === undefined ? [] : [`free ${amountText(unit, free)}`]),
    ...(reserved === undefined || spare === undefined
      ? []
      : [
          `of it reserved for ${holdersText(usage)} ${amountText(unit, reserved)}`,
          `spare ${amountText(unit, Math.max(0, spare))}`,
        ]),
  ].join("; ");
}
