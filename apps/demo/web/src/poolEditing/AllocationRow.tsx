import { UNITS, WINDOWS, type Policy, type Unit, type WindowName } from "@quota/core";
import { memo, useId, useState } from "react";
import { windowText } from "../ui/formats.js";
import { KeyName } from "../ui/KeyName.js";
import { capText } from "../ui/capText.js";
import type { RowFaults } from "./fieldFaults.js";
import { LendingFields } from "./LendingFields.js";
import { borrowingWords, lendingWords, typedLimit } from "./lendingWords.js";
import { parseDecimal } from "./parseDecimal.js";
import { POLICIES } from "./policyWords.js";
import type { RowDraft } from "./poolDraft.js";
import styles from "./AllocationsEditor.module.css";

export interface AllocationRowProps extends RowFaults {
  readonly row: RowDraft;
  /** What else there is to say of the key: its name, that it is disabled or gone. */
  readonly about: string | undefined;
  /** Whether policy, cap and lending are edited, too. */
  readonly isWhole: boolean;
  /** Whether the pool's rule holds anything back that could not be lent. */
  readonly mayHold: boolean;
  /** Always the same function: only a row that has changed is drawn again. */
  readonly onChange: (apiKeyId: string, fields: Partial<RowDraft>) => void;
}

/** One key: whether it is in the pool, its weight, its policy, its cap, and what it lends and borrows. */
export const AllocationRow = memo(function AllocationRow(props: AllocationRowProps) {
  const { row, about, isWhole, mayHold, onChange } = props;
  const { weight: weightFault, cap: capFault, lending, borrowing, other: otherFault } = props;
  const { apiKeyId, isIn, weight, policy } = row;
  const [isCapOpen, setCapOpen] = useState(false);
  const [isLendingOpen, setLendingOpen] = useState(false);
  const id = useId();
  const name = apiKeyId.slice(0, 60);
  const change = (fields: Partial<RowDraft>): void => onChange(apiKeyId, fields);
  const showsCap = isIn && isWhole && (isCapOpen || capFault !== undefined);
  const hasLendingFault = lending !== undefined || borrowing !== undefined;
  const showsLending = isIn && isWhole && (isLendingOpen || hasLendingFault);
  return (
    <li className={`${styles.row} ${isWhole ? styles.whole : ""}`}>
      <label className={styles.key}>
        <input
          type="checkbox"
          checked={isIn}
          aria-describedby={about === undefined ? undefined : `${id}-about`}
          onChange={({ target }) => onChange(apiKeyId, { isIn: target.checked })}
        />
        <span>
          <KeyName id={apiKeyId} />
          {about !== undefined && (
            <span className={styles.about} id={`${id}-about`}>
              {about}
            </span>
          )}
        </span>
      </label>
      {isIn && (
        <span className={styles.weight}>
          <input
            inputMode="decimal"
            autoComplete="off"
            aria-label={`Weight of ${name}, in percent`}
            aria-invalid={weightFault !== undefined || undefined}
            aria-describedby={weightFault === undefined ? undefined : `${id}-weight`}
            value={weight}
            onChange={({ target }) => change({ weight: target.value })}
          />
          <span aria-hidden="true">%</span>
        </span>
      )}
      {isIn && isWhole && (
        <>
          <select
            className={styles.policy}
            aria-label={`Policy of ${name}`}
            value={policy}
            onChange={({ target }) => change({ policy: target.value as Policy })}
          >
            {POLICIES.map((word) => (
              <option key={word}>{word}</option>
            ))}
          </select>
          <span className={styles.limits}>
            <button
              type="button"
              className={styles.cap}
              aria-expanded={showsCap}
              aria-label={`Cap of ${name}: ${capOf(row)}`}
              onClick={() => setCapOpen(!showsCap)}
            >
              {capOf(row)}
            </button>
            <button
              type="button"
              className={styles.cap}
              aria-expanded={showsLending}
              aria-label={`Lending of ${name}: ${lendingOf(row, mayHold)}`}
              onClick={() => setLendingOpen(!showsLending)}
            >
              {lendingOf(row, mayHold)}
            </button>
          </span>
        </>
      )}
      {showsCap && (
        <CapFields row={row} name={name} fault={capFault} faultId={`${id}-cap`} onChange={change} />
      )}
      {showsLending && (
        <LendingFields
          {...{ row, name, mayHold, lending, borrowing }}
          faultId={`${id}-lending`}
          onChange={change}
        />
      )}
      {weightFault !== undefined && (
        <p className={styles.fault} id={`${id}-weight`}>
          {weightFault}
        </p>
      )}
      {capFault !== undefined && (
        <p className={styles.fault} id={`${id}-cap`}>
          {capFault}
        </p>
      )}
      {otherFault !== undefined && <p className={styles.fault}>{otherFault}</p>}
    </li>
  );
});

function CapFields({
  row,
  name,
  fault,
  faultId,
  onChange,
}: {
  readonly row: RowDraft;
  readonly name: string;
  readonly fault: string | undefined;
  readonly faultId: string;
  readonly onChange: (fields: Partial<RowDraft>) => void;
}) {
  const { capValue, capUnit, capWindow } = row;
  return (
    <span className={styles.capFields}>
      <input
        inputMode="decimal"
        autoComplete="off"
        placeholder="no cap"
        aria-label={`Cap of ${name}, empty for none`}
        aria-invalid={fault !== undefined || undefined}
        aria-describedby={fault === undefined ? undefined : faultId}
        value={capValue}
        onChange={({ target }) => onChange({ capValue: target.value })}
      />
      <select
        aria-label={`Unit of the cap of ${name}`}
        value={capUnit}
        onChange={({ target }) => onChange({ capUnit: target.value as Unit })}
      >
        {UNITS.map((unit) => (
          <option key={unit}>{unit}</option>
        ))}
      </select>
      <select
        aria-label={`Window of the cap of ${name}`}
        value={capWindow}
        onChange={({ target }) => onChange({ capWindow: target.value as WindowName | "every" })}
      >
        <option value="every">in every window</option>
        {WINDOWS.map((window) => (
          <option key={window} value={window}>
            per {windowText(window)}
          </option>
        ))}
      </select>
    </span>
  );
}

/** What a key lends and borrows, as far as it is not a matter of course. */
function lendingOf({ lends, lendingLimit, borrowingLimit }: RowDraft, mayHold: boolean): string {
  const saysLending = mayHold || !lends || lendingLimit !== "";
  return [
    ...(saysLending ? [lendingWords(lends, typedLimit(lendingLimit))] : []),
    ...(saysLending && borrowingLimit === "" ? [] : [borrowingWords(typedLimit(borrowingLimit))]),
  ].join(", ");
}

function capOf({ capValue, capUnit, capWindow }: RowDraft): string {
  if (capValue.trim() === "") return "No cap";
  const value = parseDecimal(capValue);
  return value === undefined ? "Not a number" : capText({ value, unit: capUnit, window: capWindow });
}
