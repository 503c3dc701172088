import { Bar, BarChart, CartesianGrid, ResponsiveContainer, Tooltip, XAxis, YAxis } from "recharts";
import { Link } from "wouter";
import { Dollars } from "../ui/Dollars.js";
import { dollarText } from "../ui/dollarText.js";
import { EmptyState } from "../ui/EmptyState.js";
import { wholeText } from "../ui/formats.js";
import { TableFrame } from "../ui/TableFrame.js";
import { dayText } from "./dayText.js";
import styles from "./SpendByDay.module.css";
import { spendDays, type SpendDay } from "./spendDays.js";
import type { SpendJson } from "./spendJson.js";

/** A bar for each day of the range; today's is not over, and some of it may not be in the ledger yet. Loaded when it is looked at. */
export function SpendByDay({ spend }: { readonly spend: SpendJson }) {
  const days = spendDays(spend);
  if (spend.groups.length === 0)
    return (
      <EmptyState title="Nothing was spent in this time">
        What answers cost shows here within seconds. Send a request with the secret of one of the{" "}
        <Link href="/dashboard/keys">keys</Link>, or look further back.
      </EmptyState>
    );
  return (
    <figure className={styles.figure}>
      <div aria-hidden="true">
        <ResponsiveContainer width="100%" height={220}>
          <BarChart
            data={days.map(barOf)}
            // The table below is what the keyboard and screen readers get.
            accessibilityLayer={false}
            margin={{ top: 8, right: 8, bottom: 0, left: 0 }}
            barCategoryGap="15%"
          >
            <defs>
              <pattern id="spend-hot" width="4" height="4" patternUnits="userSpaceOnUse">
                <rect width="2" height="4" fill="var(--key-2)" />
              </pattern>
            </defs>
            <CartesianGrid stroke="var(--hairline)" vertical={false} />
            <XAxis
              dataKey="day"
              tickFormatter={dayText}
              tick={{ fill: "var(--muted)", fontSize: 12 }}
              stroke="var(--hairline)"
              minTickGap={24}
            />
            <YAxis
              width={72}
              tickFormatter={(usd: number) => dollarText(String(usd))}
              tick={{ fill: "var(--muted)", fontSize: 12 }}
              stroke="var(--hairline)"
            />
            <Tooltip
              isAnimationActive={false}
              cursor={{ fill: "var(--sunken)" }}
              labelFormatter={(day) => (typeof day === "string" ? `${dayText(day)}, UTC` : "")}
              formatter={(value, name) => [dollarText(String(value)), name]}
              contentStyle={{ background: "var(--surface)", border: "1px solid var(--hairline)" }}
              itemStyle={{ color: "var(--ink)" }}
            />
            <Bar dataKey="whole" name="spent" stackId="day" fill="var(--accent)" isAnimationActive={false} />
            <Bar
              dataKey="today"
              name="spent today so far"
              stackId="day"
              fill="var(--accent)"
              fillOpacity={0.55}
              isAnimationActive={false}
            />
            <Bar
              dataKey="hot"
              name="on its way"
              stackId="day"
              fill="url(#spend-hot)"
              isAnimationActive={false}
            />
          </BarChart>
        </ResponsiveContainer>
      </div>
      <figcaption className={styles.legend}>
        <ul>
          <li>spent in a day, by UTC</li>
          <li className={styles.today}>today so far</li>
          <li className={styles.hot}>on its way to the ledger</li>
        </ul>
      </figcaption>
      <details className={styles.table}>
        <summary>As a table</summary>
        <TableFrame label="Spend by day">
          <DayTable days={days} />
        </TableFrame>
      </details>
    </figure>
  );
}

/** Lengths to draw; what is read is formatted from the exact amounts. */
function barOf({ day, isToday, costUsd, hotUsd }: SpendDay) {
  const cost = Number(costUsd);
  const hot = Number(hotUsd ?? 0);
  return { day, ...(isToday ? { today: cost } : { whole: cost }), ...(hot > 0 && { hot }) };
}

function DayTable({ days }: { readonly days: readonly SpendDay[] }) {
  return (
    <table className="table">
      <thead>
        <tr>
          <th scope="col">Day (UTC)</th>
          <th scope="col" className="figure">
            Spent
          </th>
          <th scope="col" className="figure">
            On its way
          </th>
          <th scope="col" className="figure">
            Requests
          </th>
          <th scope="col" className="figure">
            Without a price
          </th>
        </tr>
      </thead>
      <tbody>
        {days
          .filter(({ requests, hotUsd }) => requests > 0 || Number(hotUsd ?? 0) > 0)
          .reverse()
          .map(({ day, isToday, costUsd, hotUsd, requests, unpriced }) => (
            <tr key={day}>
              <th scope="row">
                {dayText(day)}
                {isToday && ", today so far"}
              </th>
              <td className="figure">
                <Dollars of={costUsd} />
              </td>
              <td className="figure">{hotUsd === null ? "" : <Dollars of={hotUsd} />}</td>
              <td className="figure">{wholeText(requests)}</td>
              <td className="figure">{unpriced === 0 ? "" : wholeText(unpriced)}</td>
            </tr>
          ))}
      </tbody>
    </table>
  );
}
