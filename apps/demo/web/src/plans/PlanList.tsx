import type { PlanJson } from "@quota/http";
import { Link } from "wouter";
import { Name } from "../ui/Name.js";
import { choicePath } from "./choicePath.js";
import { isChanged, type PlanDraft } from "./planDraft.js";
import { sourceText } from "./sourceText.js";
import styles from "./PlanList.module.css";

/** Every connection with where its plan comes from. */
export function PlanList({
  plans,
  chosen,
  drafts,
}: {
  readonly plans: readonly PlanJson[];
  readonly chosen: string | undefined;
  readonly drafts: ReadonlyMap<string, PlanDraft>;
}) {
  return (
    <nav className={styles.list} aria-label="Connections">
      <ul>
        {plans.map((plan) => {
          const draft = drafts.get(plan.connectionId);
          return (
            <li key={plan.connectionId}>
              <Link
                className={styles.item}
                href={choicePath(plan.connectionId)}
                aria-current={plan.connectionId === chosen ? "true" : undefined}
              >
                <span className={styles.first}>
                  <span className={styles.name}>
                    <Name>{plan.connectionId}</Name>
                  </span>
                  <span className={styles.muted}>{plan.provider}</span>
                </span>
                <span className={styles.muted}>
                  {sourceText(plan)}
                  {draft !== undefined && isChanged(draft) && <em> · not saved</em>}
                </span>
              </Link>
            </li>
          );
        })}
      </ul>
    </nav>
  );
}
