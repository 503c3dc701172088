import { dimensionName, type DimensionSpec } from "@quota/core";
import type { PlanJson } from "@quota/http";
import { courseText, lengthText, limitText } from "./dimensionText.js";
import { MonthNote } from "./MonthNote.js";
import { TableFrame } from "../ui/TableFrame.js";
import styles from "./ResolvedPlan.module.css";

/** A plan as it is in force. */
export function ResolvedPlan({ plan }: { readonly plan: PlanJson }) {
  if (plan.dimensions.length === 0)
    return (
      <p className={styles.none}>
        {plan.source === "manual"
          ? "It was set to have no dimensions: every request passes, and only caps with a window of their own hold."
          : `What ${plan.provider} grants depends on the contract, so nothing is known of it. Every request passes until you set dimensions.`}
      </p>
    );
  return (
    <div className={styles.plan}>
      <TableFrame label="Dimensions of the plan">
        <table className="table">
          <thead>
            <tr>
              <th scope="col">Limit</th>
              <th scope="col">per</th>
              <th scope="col">Window</th>
            </tr>
          </thead>
          <tbody>
            {plan.dimensions.map((spec) => (
              <Row key={dimensionName(spec.unit, spec.window)} spec={spec} />
            ))}
          </tbody>
        </table>
      </TableFrame>
      <MonthNote dimensions={plan.dimensions} />
    </div>
  );
}

function Row({ spec }: { readonly spec: DimensionSpec }) {
  return (
    <tr>
      <th scope="row">{spec.limit === "unknown" ? `${spec.unit}: ${limitText(spec)}` : limitText(spec)}</th>
      <td className={styles.length}>{lengthText(spec)}</td>
      <td>{courseText(spec)}</td>
    </tr>
  );
}
