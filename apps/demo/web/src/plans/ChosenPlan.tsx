import { Link } from "wouter";
import { EmptyState } from "../ui/EmptyState.js";
import { choicePath } from "./choicePath.js";
import { ProviderPlanConfig } from "./ProviderPlanConfig.js";
import type { PlanDrafts } from "./usePlanDrafts.js";
import type { SeenPlan } from "./usePlans.js";
import styles from "./ChosenPlan.module.css";

/** The plan that the address names, or what to do where it names none. */
export function ChosenPlan({
  plans,
  chosen,
  drafts,
}: {
  readonly plans: readonly SeenPlan[];
  readonly chosen: string | undefined;
  readonly drafts: PlanDrafts;
}) {
  const plan = plans.find(({ connectionId }) => connectionId === chosen);
  return (
    <section className={styles.chosen} aria-label="The chosen plan">
      {chosen === undefined ? (
        <EmptyState title="Choose a connection">
          Its plan, where that comes from and what can be changed are shown here.
        </EmptyState>
      ) : (
        <>
          <Link className={styles.back} href={choicePath(undefined)}>
            ‹ All connections
          </Link>
          {plan === undefined ? (
            <EmptyState title="There is no such connection">
              It may have been deleted. Choose another one.
            </EmptyState>
          ) : (
            <ProviderPlanConfig
              key={plan.connectionId}
              plan={plan}
              draft={drafts.byConnection.get(plan.connectionId)}
              onDraft={(draft) => drafts.keep(plan.connectionId, draft)}
            />
          )}
        </>
      )}
    </section>
  );
}
