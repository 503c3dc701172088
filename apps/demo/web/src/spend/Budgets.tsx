import { Link } from "wouter";
import { detailOf } from "../api/request.js";
import { Button } from "../ui/Button.js";
import { Notice } from "../ui/Notice.js";
import { BudgetBar } from "./BudgetBar.js";
import styles from "./Budgets.module.css";
import shared from "./spend.module.css";
import { useBudgets } from "./useBudgets.js";

/** Every budget as it stands in its current period, the fullest first. */
export function Budgets() {
  const { budgets, error, refetch } = useBudgets();
  return (
    <section className={shared.card} aria-label="Budgets">
      <h2>Budgets</h2>
      {error !== null && (
        <Notice tone="warning" action={<Button onClick={refetch}>Try again</Button>}>
          Not every budget can be shown: {detailOf(error)}
        </Notice>
      )}
      {budgets === undefined && error === null && <p className={shared.muted}>…</p>}
      {budgets?.length === 0 && error === null && (
        <p className={shared.muted}>
          Nobody has a budget, so nothing stops at an amount. Set one where a key is edited (
          <Link href="/dashboard/keys">Keys</Link>), or a team or an organisation (
          <Link href="/dashboard/rates">Rate plans</Link>).
        </p>
      )}
      {budgets !== undefined && budgets.length > 0 && (
        <ul className={styles.budgets}>
          {budgets.map(({ kind, id, name, budget }) => (
            <li key={`${kind}:${id}`}>
              <BudgetBar kind={kind} id={id} name={name} budget={budget} />
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
