import { isSameLending, LENDING_RULES, type Lending } from "@quota/core";
import { Field } from "../ui/Field.js";
import { LENDING_WORDS } from "../ui/lendingText.js";
import { CurveFields, type CurveFieldsProps } from "./CurveFields.js";
import { NO_SHADOW } from "./lendingDraft.js";
import styles from "./LendingModal.module.css";

/** A second rule that is asked along, without effect. */
export function ShadowFields({
  shadow,
  rule,
  onShadow,
  ...curve
}: CurveFieldsProps & {
  readonly shadow: string;
  /** The pool's own. */
  readonly rule: Lending | undefined;
  readonly onShadow: (rule: string) => void;
}) {
  const { lending } = curve;
  const isSame = rule !== undefined && lending !== undefined && isSameLending(rule, lending);
  return (
    <div className={styles.shadow}>
      <Field
        label="Shadow rule"
        hint={
          isSame
            ? "The same as the rule above: it can only say the same."
            : "Every decision says what it would have been under it, and nothing else becomes of that."
        }
      >
        <select value={shadow} onChange={({ target }) => onShadow(target.value)}>
          <option value={NO_SHADOW}>none</option>
          {LENDING_RULES.map((each) => (
            <option key={each} value={each}>
              {LENDING_WORDS[each].name}
            </option>
          ))}
        </select>
      </Field>
      {shadow === "reserve" && (
        <>
          <CurveFields {...curve} />
          {rule?.rule !== "reserve" && (
            <p className={styles.about}>
              A reserve needs windows with a beginning: where one rolls, decisions have no shadow.
            </p>
          )}
        </>
      )}
    </div>
  );
}
