import type { ExplanationJson } from "@quota/http";
import { reasonText } from "../explain/reasonText.js";
import { Badge } from "../ui/Badge.js";
import { amountText, dimensionText } from "../ui/formats.js";
import { lendingText } from "../ui/lendingText.js";
import { Moment } from "../ui/Moment.js";
import { TableFrame } from "../ui/TableFrame.js";
import stacked from "../ui/stacked.module.css";
import styles from "./RulesTable.module.css";

type Rule = ExplanationJson["rules"][number];

/** What each lending rule would say to the same request, at the same numbers. */
export function RulesTable({ explanation: { rules, lending } }: { readonly explanation: ExplanationJson }) {
  const own = lendingText(lending);
  return (
    <section className={styles.rules} aria-label="Under each lending rule">
      <h3>Under each lending rule</h3>
      <TableFrame label="What each lending rule would say">
        <table className={`table ${stacked.stacked}`}>
          <thead>
            <tr>
              <th scope="col">Rule</th>
              <th scope="col">Answer</th>
              <th scope="col">Opens</th>
              <th scope="col">May use now</th>
            </tr>
          </thead>
          <tbody>
            {rules.map((rule) => {
              const name = lendingText(rule.lending);
              return (
                <tr key={name}>
                  <th scope="row" className={name === own ? styles.own : undefined}>
                    {name}
                    {name === own && <span className={styles.note}> this pool’s</span>}
                  </th>
                  <td data-label="Answer">
                    <Answer rule={rule} />
                  </td>
                  <td className={styles.line} data-label="Opens">
                    {rule.retryAt === undefined ? "" : <Moment at={rule.retryAt} />}
                  </td>
                  <td className={styles.line} data-label="May use now">
                    <span>
                      {rule.available.map(({ dimension, unit, amount }) => (
                        <span key={dimension} className={styles.amount}>
                          {amount === "unlimited"
                            ? `unlimited ${dimensionText(dimension)}`
                            : unit === "requests" || unit === "tokens"
                              ? `${amountText(unit, amount)}${windowOf(dimension)}`
                              : `${amountText(unit, amount)} of ${dimensionText(dimension)}`}
                        </span>
                      ))}
                    </span>
                  </td>
                </tr>
              );
            })}
          </tbody>
        </table>
      </TableFrame>
    </section>
  );
}

function Answer({ rule: { status, allowed, reason } }: { readonly rule: Rule }) {
  if (status === "deprioritized") return <Badge tone="warning">passes, behind others</Badge>;
  if (allowed) return <Badge tone="good">passes</Badge>;
  return <Badge tone="danger">{reason === undefined ? status : reasonText(reason)}</Badge>;
}

/** The rest of a dimension's name after what it counts: ` per hour`. */
function windowOf(dimension: string): string {
  return dimensionText(dimension).replace(/^\w+/u, "");
}
