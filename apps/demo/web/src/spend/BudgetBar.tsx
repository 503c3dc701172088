import type { BudgetJson, BudgetPeriodJson } from "../api/budgetJson.js";
import { Badge } from "../ui/Badge.js";
import { Dollars } from "../ui/Dollars.js";
import { dollarText } from "../ui/dollarText.js";
import { KeyName } from "../ui/KeyName.js";
import { Name } from "../ui/Name.js";
import styles from "./BudgetBar.module.css";
import type { OwnedBudget } from "./useBudgets.js";
import { ownText, zonedText } from "./zonedText.js";

/** One budget as a bar: what is spent, what is pending, what is left, and when it begins anew. */
export function BudgetBar({ kind, id, name, budget }: OwnedBudget) {
  const { limitUsd, period, whenUnpriced, spentUsd, pendingUsd, leftUsd } = budget;
  return (
    <div className={styles.budget}>
      <div className={styles.head}>
        <h3>
          {kind === "key" ? <KeyName id={id} /> : <Name>{name}</Name>}
          <span className={styles.kind}> {kind}</span>
        </h3>
        <BudgetState budget={budget} />
        <span className={styles.limit}>
          <Dollars of={limitUsd} /> {PER[period]}
        </span>
      </div>
      <Bar budget={budget} />
      <dl className={styles.amounts}>
        <Amount name="spent" look="spent" of={spentUsd} />
        <Amount name="pending" look="pending" of={pendingUsd} />
        <Amount name="left" look="left" of={leftUsd} />
      </dl>
      <p className={styles.when}>
        <PeriodEnd budget={budget} />
        {whenUnpriced === "refuse" && "; refuses models without a price"}
      </p>
    </div>
  );
}

const PER: Readonly<Record<BudgetPeriodJson, string>> = {
  day: "a day",
  week: "a week",
  month: "a month",
  once: "in all",
};

function BudgetState({ budget: { leftUsd } }: { readonly budget: BudgetJson }) {
  const left = Number(leftUsd);
  if (left < 0) return <Badge tone="danger">over the budget by {dollarText(leftUsd.replace("-", ""))}</Badge>;
  return left === 0 ? <Badge tone="danger">used up</Badge> : null;
}

function Bar({ budget: { limitUsd, spentUsd, pendingUsd } }: { readonly budget: BudgetJson }) {
  const [limit, spent, pending] = [limitUsd, spentUsd, pendingUsd].map(Number) as [number, number, number];
  // The whole width: the budget, or all that was used where that is more.
  const whole = Math.max(limit, spent + pending, Number.MIN_VALUE);
  const width = (amount: number): string => `${String((100 * amount) / whole)}%`;
  return (
    <div className={styles.bar} aria-hidden="true">
      <span className={`${styles.part} ${styles.spent}`} style={{ width: width(spent) }} />
      <span className={`${styles.part} ${styles.pending}`} style={{ width: width(pending) }} />
      {whole > limit && (
        <span className={styles.over} style={{ left: width(limit) }} title="over the budget" />
      )}
    </div>
  );
}

function Amount({
  name,
  look,
  of: exact,
}: {
  readonly name: string;
  readonly look: "spent" | "pending" | "left";
  readonly of: string;
}) {
  return (
    <div className={styles.amount}>
      <dt>
        <span className={`${styles.sign} ${styles[look]}`} aria-hidden="true" />
        {name}
      </dt>
      <dd>
        <Dollars of={exact} />
      </dd>
    </div>
  );
}

/** In the reader's zone, and in the budget's own where that is another one. */
function PeriodEnd({ budget: { opensAt, endsAt, timeZone } }: { readonly budget: BudgetJson }) {
  if (endsAt === null) return <>Counts since {ownText(Date.parse(opensAt))}, and never begins anew</>;
  const at = Date.parse(endsAt);
  return (
    <>
      Begins anew {ownText(at)}
      {timeZone !== OWN_ZONE && `, which is ${zonedText(at, timeZone)}`}
    </>
  );
}

const { timeZone: OWN_ZONE } = new Intl.DateTimeFormat().resolvedOptions();
