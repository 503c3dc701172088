import { useSearchParams } from "wouter";
import { EmptyState } from "../ui/EmptyState.js";
import { ErrorState } from "../ui/ErrorState.js";
import { Page } from "../ui/Page.js";
import { ChosenPlan } from "./ChosenPlan.js";
import { PlanList } from "./PlanList.js";
import { usePlanDrafts } from "./usePlanDrafts.js";
import { usePlans } from "./usePlans.js";
import styles from "./PlansPage.module.css";

/** What each account grants: all of them on one side, the chosen one, which the address keeps, on the other. */
export default function PlansPage() {
  const [search] = useSearchParams();
  const chosen = search.get("connection") ?? undefined;
  const { data: plans, error, refetch } = usePlans();
  const drafts = usePlanDrafts();
  return (
    <Page
      title="Plans"
      about="What each provider account grants. Pools share exactly this; a key’s share is its weight’s part of every limit."
    >
      {plans === undefined ? (
        error !== null && <ErrorState what="The plans" error={error} onRetry={() => void refetch()} />
      ) : plans.length === 0 ? (
        <EmptyState
          title="There is no connection yet"
          action={<a href="/dashboard/connections">To the connections</a>}
        >
          A plan says what the account behind a connection grants. Make a connection first.
        </EmptyState>
      ) : (
        <div className={styles.columns} data-chosen={chosen !== undefined}>
          <PlanList plans={plans} chosen={chosen} drafts={drafts.byConnection} />
          <ChosenPlan plans={plans} chosen={chosen} drafts={drafts} />
        </div>
      )}
    </Page>
  );
}
