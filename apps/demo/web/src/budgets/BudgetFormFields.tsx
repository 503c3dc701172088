import { useId } from "react";
import type { BudgetJson, BudgetPeriodJson } from "../api/budgetJson.js";
import { Field } from "../ui/Field.js";
import { momentText } from "../ui/formats.js";
import type { BudgetFields } from "./budgetFields.js";
import { BUDGET_WORDS, PERIOD_WORDS, UNPRICED_WORDS } from "./budgetWords.js";
import styles from "./BudgetFormFields.module.css";
import { parseDollars } from "./parseDollars.js";

/** How much may be spent, in which period, by whose calendar, and what becomes of what has no price. */
export function BudgetFormFields({
  typed,
  onType,
  faults,
}: {
  readonly typed: BudgetFields;
  readonly onType: (field: keyof BudgetFields, value: string) => void;
  readonly faults: ReadonlyMap<string, string>;
}) {
  const zones = useId();
  const limit = parseDollars(typed.budgetUsd);
  const faultOf = (name: string): string | undefined =>
    faults.get(`budget.${name}`)?.replace(/^budget\./u, "");
  return (
    <>
      <div className={styles.fields}>
        <Field
          label={BUDGET_WORDS.budgetUsd}
          hint={limit === 0 ? "0 refuses whatever costs something." : "Such as 20 or 0.5, or “none”."}
          fault={
            limit === undefined
              ? "Type an amount such as 20, with at most nine decimals, or “none”."
              : faultOf("limitUsd")
          }
        >
          <input
            inputMode="text"
            autoComplete="off"
            spellCheck={false}
            value={typed.budgetUsd}
            onChange={({ target }) => onType("budgetUsd", target.value)}
          />
        </Field>
        {limit !== null && (
          <>
            <Field
              label={BUDGET_WORDS.budgetPeriod}
              hint={typed.budgetPeriod === "once" ? sinceText(typed.budgetSince) : undefined}
              fault={faultOf("period")}
            >
              <select
                value={typed.budgetPeriod}
                onChange={({ target }) => onType("budgetPeriod", target.value)}
              >
                {(Object.keys(PERIOD_WORDS) as BudgetPeriodJson[]).map((period) => (
                  <option key={period} value={period}>
                    {PERIOD_WORDS[period]}
                  </option>
                ))}
              </select>
            </Field>
            {typed.budgetPeriod !== "once" && (
              <Field
                label={BUDGET_WORDS.budgetZone}
                hint={`At whose midnight a period begins. Yours is ${OWN_ZONE}.`}
                fault={faultOf("timeZone")}
              >
                <input
                  list={zones}
                  autoComplete="off"
                  spellCheck={false}
                  value={typed.budgetZone}
                  onChange={({ target }) => onType("budgetZone", target.value)}
                />
              </Field>
            )}
            <Field label={BUDGET_WORDS.budgetUnpriced} fault={faultOf("whenUnpriced")}>
              <select
                value={typed.budgetUnpriced}
                onChange={({ target }) => onType("budgetUnpriced", target.value)}
              >
                {(Object.keys(UNPRICED_WORDS) as BudgetJson["whenUnpriced"][]).map((policy) => (
                  <option key={policy} value={policy}>
                    {UNPRICED_WORDS[policy]}
                  </option>
                ))}
              </select>
            </Field>
          </>
        )}
      </div>
      <datalist id={zones}>
        {limit !== null && ZONES.map((zone) => <option key={zone} value={zone} />)}
      </datalist>
    </>
  );
}

function sinceText(since: string): string {
  return since === ""
    ? "What is spent from now on counts."
    : `What was spent since ${momentText(Date.parse(since))} counts.`;
}

const OWN_ZONE = new Intl.DateTimeFormat().resolvedOptions().timeZone;
const ZONES: readonly string[] = [
  "UTC",
  ...Intl.supportedValuesOf("timeZone").filter((zone) => zone !== "UTC"),
];
