import type { RowFaults } from "./fieldFaults.js";
import type { RowDraft } from "./poolDraft.js";
import styles from "./AllocationsEditor.module.css";

/** What a key lends of its share, where the pool's rule holds anything back, and how much it borrows beyond it. */
export function LendingFields({
  row,
  name,
  mayHold,
  lending,
  borrowing,
  faultId,
  onChange,
}: {
  readonly row: RowDraft;
  readonly name: string;
  readonly mayHold: boolean;
  readonly lending: RowFaults["lending"];
  readonly borrowing: RowFaults["borrowing"];
  readonly faultId: string;
  readonly onChange: (fields: Partial<RowDraft>) => void;
}) {
  const { lends, lendingLimit, borrowingLimit } = row;
  const asksLending = mayHold || !lends || lendingLimit !== "";
  const said = (fault: string | undefined) => ({
    "aria-invalid": fault !== undefined || undefined,
    "aria-describedby": fault === undefined ? undefined : faultId,
  });
  return (
    <>
      <span className={styles.lendingFields}>
        {asksLending && (
          <span>
            <label>
              <input
                type="checkbox"
                checked={lends}
                aria-label={`${name} lends what it leaves idle`}
                {...(!lends && said(lending))}
                onChange={({ target }) => onChange({ lends: target.checked })}
              />
              Lends what it leaves idle{lends && ","}
            </label>
            {lends && (
              <Limit
                words="at most"
                label={`The most that ${name} lends, in percent of the pool, empty for all`}
                value={lendingLimit}
                fault={said(lending)}
                onType={(typed) => onChange({ lendingLimit: typed })}
              />
            )}
          </span>
        )}
        <Limit
          words="Borrows at most"
          label={`The most that ${name} borrows, in percent of the pool, empty for no limit`}
          value={borrowingLimit}
          fault={said(borrowing)}
          onType={(typed) => onChange({ borrowingLimit: typed })}
        />
      </span>
      {(lending !== undefined || borrowing !== undefined) && (
        <p className={styles.fault} id={faultId}>
          {[lending, borrowing].filter((fault) => fault !== undefined).join(" ")}
        </p>
      )}
    </>
  );
}

function Limit({
  words,
  label,
  value,
  fault,
  onType,
}: {
  readonly words: string;
  readonly label: string;
  readonly value: string;
  readonly fault: object;
  readonly onType: (typed: string) => void;
}) {
  return (
    <label>
      {words}
      <input
        inputMode="decimal"
        autoComplete="off"
        placeholder="all"
        aria-label={label}
        {...fault}
        value={value}
        onChange={({ target }) => onType(target.value)}
      />
      % of the pool
    </label>
  );
}
