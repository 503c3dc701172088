import type { BurnJson } from "@quota/http";
import {
  CartesianGrid,
  Line,
  LineChart,
  ReferenceLine,
  ResponsiveContainer,
  Tooltip,
  XAxis,
  YAxis,
} from "recharts";
import { ErrorState } from "../ui/ErrorState.js";
import { amountText, bareAmountText, durationText, momentText, utcText, windowText } from "../ui/formats.js";
import { Moment } from "../ui/Moment.js";
import styles from "./BurnRateChart.module.css";
import { usePoolBurn } from "./usePoolBurn.js";

/** How fast each dimension is used, where that leads, and when it is used up. Loaded when it is looked at. */
export default function BurnRateChart({ poolId }: { readonly poolId: string }) {
  const { data, error, refetch } = usePoolBurn(poolId);
  if (error !== null && data === undefined)
    return <ErrorState what="The burn rate" error={error} onRetry={() => void refetch()} />;
  return (
    <div className={styles.charts}>
      {data?.dimensions.map((dimension) => (
        <DimensionChart
          key={`${dimension.unit}/${dimension.window}`}
          burn={dimension}
          now={data.generatedAt}
        />
      ))}
    </div>
  );
}

type DimensionBurn = BurnJson["dimensions"][number];

function DimensionChart({ burn, now }: { readonly burn: DimensionBurn; readonly now: number }) {
  const { unit, window, perSecond, timeToExhaustionMs, exhaustedAt, exhaustedUsed, samples } = burn;
  const title = `${unit} per ${windowText(window)}`;
  const rate = (perSecondThen: number): string => `${amountText(unit, perSecondThen * 3600)} per hour`;
  if (samples.length < 2)
    return (
      <figure className={styles.chart}>
        <figcaption>
          <h3>{title}</h3>
          <p className={styles.none}>
            No data yet: a line needs two samples, and one is taken every ten seconds while requests are
            settled or somebody looks.
          </p>
        </figcaption>
      </figure>
    );
  return (
    <figure className={styles.chart}>
      <figcaption>
        <h3>{title}</h3>
        <p>
          {rate(perSecond)}
          {timeToExhaustionMs === null || exhaustedAt === undefined ? (
            "; at this rate nothing is used up"
          ) : (
            <>
              ; at this rate used up in {durationText(timeToExhaustionMs)}, at <Moment at={exhaustedAt} />
            </>
          )}
        </p>
      </figcaption>
      <div className={styles.drawing} aria-hidden="true">
        <ResponsiveContainer width="100%" height={180}>
          <LineChart data={pointsOf(burn)} margin={{ top: 8, right: 16, bottom: 0, left: 8 }}>
            <CartesianGrid stroke="var(--hairline)" vertical={false} />
            <XAxis
              dataKey="at"
              type="number"
              domain={["dataMin", "dataMax"]}
              tickFormatter={(at: number) => momentText(at)}
              tick={{ fill: "var(--muted)", fontSize: 12 }}
              stroke="var(--hairline)"
              minTickGap={48}
            />
            <YAxis
              yAxisId="used"
              width={72}
              tickFormatter={(used: number) => bareAmountText(unit, used)}
              tick={{ fill: "var(--muted)", fontSize: 12 }}
              stroke="var(--hairline)"
            />
            <YAxis yAxisId="rate" orientation="right" hide />
            <Tooltip
              isAnimationActive={false}
              labelFormatter={(at) => `${momentText(Number(at))} (${utcText(Number(at))})`}
              formatter={(value, name) => [
                name === "rate" ? rate(Number(value)) : amountText(unit, Number(value)),
                name,
              ]}
              contentStyle={{ background: "var(--surface)", border: "1px solid var(--hairline)" }}
            />
            {exhaustedUsed !== undefined && (
              <ReferenceLine yAxisId="used" y={exhaustedUsed} stroke="var(--danger)" strokeDasharray="4 3" />
            )}
            <ReferenceLine yAxisId="used" x={now} stroke="var(--muted)" strokeDasharray="2 3" />
            <Line
              yAxisId="used"
              dataKey="used"
              stroke="var(--accent)"
              strokeWidth={2}
              dot={false}
              isAnimationActive={false}
            />
            <Line
              yAxisId="used"
              dataKey="projected"
              stroke="var(--accent)"
              strokeWidth={2}
              strokeDasharray="5 4"
              dot={false}
              isAnimationActive={false}
            />
            <Line
              yAxisId="rate"
              dataKey="rate"
              stroke="var(--key-2)"
              strokeWidth={2}
              dot={false}
              isAnimationActive={false}
            />
          </LineChart>
        </ResponsiveContainer>
        <ul className={styles.legend}>
          <li className={styles.used}>used, in all</li>
          <li className={styles.projected}>projection</li>
          <li className={styles.rate}>rate</li>
        </ul>
      </div>
      <details className={styles.table}>
        <summary>As a table</summary>
        <div className="table-frame">
          <table className="table">
            <thead>
              <tr>
                <th scope="col">When</th>
                <th scope="col" className="figure">
                  Used
                </th>
                <th scope="col" className="figure">
                  Rate
                </th>
              </tr>
            </thead>
            <tbody>
              {samples.map(({ at, used, perSecond: then }) => (
                <tr key={at}>
                  <td>
                    <Moment at={at} />
                  </td>
                  <td className="figure">{amountText(unit, used)}</td>
                  <td className="figure">{rate(then)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </details>
    </figure>
  );
}

interface Point {
  readonly at: number;
  readonly used?: number;
  readonly rate?: number;
  readonly projected?: number;
}

/** The samples, and the line from the newest to where the gateway says that the limit is reached. */
function pointsOf({ samples, exhaustedAt, exhaustedUsed }: DimensionBurn): readonly Point[] {
  const points: Point[] = samples.map(({ at, used: then, perSecond }) => ({
    at,
    used: then,
    rate: perSecond,
  }));
  const newest = samples.at(-1);
  if (newest === undefined || exhaustedAt === undefined || exhaustedUsed === undefined) return points;
  points[points.length - 1] = { ...points.at(-1)!, projected: newest.used };
  return [...points, { at: exhaustedAt, projected: exhaustedUsed }];
}
