import { BudgetFormFields } from "../budgets/BudgetFormFields.js";
import { LimitField } from "../rates/LimitField.js";
import { Field } from "../ui/Field.js";
import type { KeyFields } from "./keyFields.js";
import { PlaceField } from "./PlaceField.js";
import styles from "./keys.module.css";

/** What a key is called, whom it belongs to, and its own limits and budget. */
export function KeyFormFields({
  typed,
  onType,
  faults,
}: {
  readonly typed: KeyFields;
  readonly onType: (field: keyof KeyFields, value: string) => void;
  readonly faults: ReadonlyMap<string, string>;
}) {
  return (
    <>
      <Field label="Name" hint="For people; it may be changed at any time." fault={faults.get("name")}>
        <input
          dir="auto"
          autoComplete="off"
          value={typed.name}
          onChange={({ target }) => onType("name", target.value)}
        />
      </Field>
      <PlaceField
        chosen={typed.place}
        onChoose={(place) => onType("place", place)}
        fault={placeFault(faults)}
      />
      <div className={styles.pair}>
        <LimitField
          dimension="rpm"
          typed={typed.rpm}
          onType={(text) => onType("rpm", text)}
          fault={faults.get("rpm")}
        />
        <LimitField
          dimension="tpm"
          typed={typed.tpm}
          onType={(text) => onType("tpm", text)}
          fault={faults.get("tpm")}
        />
      </div>
      <BudgetFormFields typed={typed} onType={onType} faults={faults} />
    </>
  );
}

/** One field is the place of both. */
function placeFault(faults: ReadonlyMap<string, string>): string | undefined {
  const said = ["teamId", "orgId"].map((path) => faults.get(path)).filter((fault) => fault !== undefined);
  return said.length === 0 ? undefined : said.join(" ");
}
