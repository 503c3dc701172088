import { LAST_PART, reservedPart } from "@quota/core";
import type { DimensionUsageJson, PoolJson } from "@quota/http";
import { useMemo } from "react";
import { amountText, percentText } from "../ui/formats.js";
import { lendingCurve, lendingRule } from "../ui/lendingText.js";
import { Moment } from "../ui/Moment.js";
import bar from "./DimensionBar.module.css";
import { reserveCourse, type Point } from "./reserveCourse.js";
import styles from "./ReserveOverTime.module.css";

/** Why something unused is not given away, and when it will be: what is reserved over a dimension's window. */
export function ReserveOverTime({
  pool: { lending, allocations },
  usage,
}: {
  readonly pool: PoolJson;
  readonly usage: DimensionUsageJson;
}) {
  // The pool and its use are read at different moments.
  const curve = lendingRule(lending) === "reserve" ? lendingCurve(lending) : "pace";
  const course = useMemo(() => reserveCourse({ usage, curve, allocations }), [usage, curve, allocations]);
  const { unit, limit, elapsed = 0, used, reserved = 0, windowFrom, opensAt } = usage;
  if (course === undefined || limit === "unknown")
    return <p className={styles.none}>Nothing is reserved here, since no limit is known.</p>;
  const whole = Math.max(limit, used, Number.MIN_VALUE);
  const left = Math.max(0, limit - used);
  const isAgreed = usage.anchoredBy !== "rolling";
  const lentFrom =
    isAgreed && windowFrom !== undefined && opensAt !== undefined
      ? windowFrom + LAST_PART * (opensAt - windowFrom)
      : undefined;
  const spareTop = course.reserved.map(({ at }) => ({ at, amount: left }));
  return (
    <figure className={styles.chart}>
      <figcaption>
        <strong>Reserve over the window.</strong> {percentText(elapsed)} of it has passed, so{" "}
        {percentText(reservedPart(curve, elapsed))} of an untouched share is still reserved.{" "}
        {elapsed < LAST_PART && course.kept < reserved && (
          <>
            {course.kept > 0
              ? `All but the ${amountText(unit, course.kept)} that are never lent is spare`
              : "Everything is spare"}{" "}
            {lentFrom === undefined ? (
              `from ${percentText(LAST_PART)} of it on.`
            ) : (
              <>
                from <Moment at={lentFrom} /> on.
              </>
            )}
          </>
        )}
        {!isAgreed && " This window rolls until the next request, which lays it on the epoch."}
      </figcaption>
      <div className={styles.drawing} aria-hidden="true">
        <span className={styles.top}>{amountText(unit, limit)}</span>
        <div className={styles.plot}>
          <div className={`${styles.area} ${bar.free}`} style={{ clipPath: under(spareTop, whole) }} />
          <div
            className={`${styles.area} ${bar.reserved}`}
            style={{ clipPath: under(course.reserved, whole) }}
          />
          <div
            className={`${styles.area} ${styles.used}`}
            style={{ left: percent(elapsed), top: percent(1 - limit / whole), bottom: percent(left / whole) }}
          />
          <svg viewBox="0 0 1 1" preserveAspectRatio="none">
            <polyline className={styles.bound} points={line(course.bound, whole)} />
            <polyline className={styles.edge} points={line(course.reserved, whole)} />
          </svg>
          <span className={styles.now} style={{ left: percent(elapsed) }} />
          <span
            className={styles.here}
            // Before the line, where nothing is drawn, as soon as there is room for it.
            style={elapsed > ROOM ? { right: percent(1 - elapsed) } : { left: percent(elapsed) }}
          >
            now
          </span>
        </div>
        <div className={styles.axis}>
          {isAgreed && windowFrom !== undefined && <Moment at={windowFrom} />}
          {isAgreed && opensAt !== undefined && <Moment at={opensAt} />}
        </div>
        <ul className={styles.legend}>
          <li>
            <span className={`${bar.sign} ${styles.used}`} />
            used
          </li>
          <li>
            <span className={`${bar.sign} ${bar.free}`} />
            spare
          </li>
          <li>
            <span className={`${bar.sign} ${bar.reserved}`} />
            reserved, if nobody uses more
          </li>
          <li>
            <span className={styles.dash} />
            the most that may be reserved
          </li>
        </ul>
      </div>
    </figure>
  );
}

/** The part of the window's width that the word at the line needs. */
const ROOM = 0.15;

/** What lies under a line, down to nothing. */
function under(points: readonly Point[], whole: number): string {
  const first = points[0]!;
  const last = points.at(-1)!;
  const corners = [...points, { at: last.at, amount: 0 }, { at: first.at, amount: 0 }];
  return `polygon(${corners.map(({ at, amount }) => `${percent(at)} ${percent(1 - amount / whole)}`).join(",")})`;
}

function line(points: readonly Point[], whole: number): string {
  return points.map(({ at, amount }) => `${at.toFixed(4)},${(1 - amount / whole).toFixed(4)}`).join(" ");
}

function percent(part: number): string {
  return `${(part * 100).toFixed(2)}%`;
}
