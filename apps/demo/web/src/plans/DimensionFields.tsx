import { UNITS, WINDOWS, type Unit, type WindowName } from "@quota/core";
import { Button } from "../ui/Button.js";
import { Field } from "../ui/Field.js";
import { amountText } from "../ui/formats.js";
import { typedNumber, type DimensionDraft } from "./planDraft.js";
import { WindowFields } from "./WindowFields.js";
import styles from "./DimensionFields.module.css";

export interface DimensionFieldsProps {
  /** Its place in the list, from 1. */
  readonly number: number;
  readonly dimension: DimensionDraft;
  /** By the field's name; `""` is the dimension as a whole. */
  readonly faults: ReadonlyMap<string, string>;
  readonly onChange: (dimension: DimensionDraft) => void;
  readonly onRemove: () => void;
}

/** One dimension of a plan that is edited: limit, unit, window, and what few need, folded away. */
export function DimensionFields({ number, dimension, faults, onChange, onRemove }: DimensionFieldsProps) {
  const { unit, window, limit } = dimension;
  return (
    <li>
      <div className={styles.dimension} role="group" aria-label={`Dimension ${String(number)}`}>
        <div className={styles.main}>
          <Field label="Limit" fault={faults.get("limit")} hint={limitHint(unit, limit)}>
            <input
              className={styles.limit}
              inputMode="decimal"
              autoComplete="off"
              value={limit}
              placeholder="a number, or unknown"
              onChange={({ target }) => onChange({ ...dimension, limit: target.value })}
            />
          </Field>
          <Field label="Unit" fault={faults.get("unit")}>
            <select
              value={unit}
              onChange={({ target }) => onChange({ ...dimension, unit: target.value as Unit })}
            >
              {UNITS.map((name) => (
                <option key={name} value={name}>
                  {UNIT_NAMES[name]}
                </option>
              ))}
            </select>
          </Field>
          <Field label="Window" fault={faults.get("window")}>
            <select
              value={window}
              onChange={({ target }) => onChange({ ...dimension, window: target.value as WindowName })}
            >
              {WINDOWS.map((name) => (
                <option key={name} value={name}>
                  {WINDOW_NAMES[name]}
                </option>
              ))}
            </select>
          </Field>
          <div className={styles.remove}>
            <Button look="quiet" aria-label={`Remove dimension ${String(number)}`} onClick={onRemove}>
              Remove
            </Button>
          </div>
        </div>
        {faults.has("") && (
          <p className={styles.fault} role="alert">
            This dimension {faults.get("")}
          </p>
        )}
        <WindowFields dimension={dimension} faults={faults} onChange={onChange} />
      </div>
    </li>
  );
}

const UNIT_NAMES: Readonly<Record<Unit, string>> = {
  percent: "percent",
  requests: "requests",
  tokens: "tokens",
  usd: "US dollars",
};

const WINDOW_NAMES: Readonly<Record<WindowName, string>> = {
  hourly: "1 hour",
  "5h": "5 hours",
  daily: "1 day",
  weekly: "1 week",
  monthly: "1 month",
};

/** What was typed, read back in the reader's own figures: 1.500 is not everywhere the same number. */
function limitHint(unit: Unit, limit: string): string {
  if (limit.trim().toLowerCase() === "unknown") return "counted and shown, not limited";
  const number = typedNumber(limit);
  return typeof number === "number" ? amountText(unit, number) : "a number, or the word unknown";
}
