import { LENDING_RULES } from "@quota/core";
import { useId } from "react";
import { LENDING_WORDS } from "../ui/lendingText.js";
import { CurveFields, type CurveFieldsProps } from "./CurveFields.js";
import styles from "./LendingModal.module.css";

/** Which rule it is, each with what it does. */
export function RuleFields({
  rule,
  onRule,
  ...curve
}: CurveFieldsProps & { readonly rule: string; readonly onRule: (rule: string) => void }) {
  const name = useId();
  return (
    <fieldset className={styles.rules}>
      <legend>What becomes of an idle share</legend>
      {LENDING_RULES.map((each) => (
        <div key={each} className={styles.rule}>
          <label>
            <input
              type="radio"
              name={name}
              value={each}
              checked={each === rule}
              onChange={() => onRule(each)}
            />
            <span>
              <strong className={styles.name}>{LENDING_WORDS[each].name}</strong>{" "}
              <span className={styles.about}>{LENDING_WORDS[each].about}</span>
            </span>
          </label>
          {each === "reserve" && rule === "reserve" && <CurveFields {...curve} />}
        </div>
      ))}
    </fieldset>
  );
}
