import type { Lending } from "@quota/core";
import { Field } from "../ui/Field.js";
import { curveAbout } from "../ui/lendingText.js";
import styles from "./LendingModal.module.css";

export interface CurveFieldsProps {
  readonly curve: string;
  readonly hold: string;
  /** What they come to; undefined while the number is missing or wrong. */
  readonly lending: Lending | undefined;
  readonly onCurve: (curve: string) => void;
  readonly onHold: (hold: string) => void;
}

/** How what is reserved for an idle key shrinks. */
export function CurveFields({ curve, hold, lending, onCurve, onHold }: CurveFieldsProps) {
  return (
    <div className={styles.curve}>
      <Field
        label="How it shrinks"
        hint={lending?.rule === "reserve" ? curveAbout(lending.curve) : undefined}
      >
        <select value={curve} onChange={({ target }) => onCurve(target.value)}>
          <option value="pace">pace: slowly at first</option>
          <option value="hold">hold: in full, then in a straight line</option>
        </select>
      </Field>
      {curve === "hold" && (
        <Field
          label="Hold"
          hint="2: in full for half of the window; 4: for three quarters."
          fault={lending === undefined ? "Give a number above 0 and up to 1000." : undefined}
        >
          <input
            inputMode="decimal"
            autoComplete="off"
            value={hold}
            onChange={({ target }) => onHold(target.value)}
          />
        </Field>
      )}
    </div>
  );
}
