import { useOrganisations } from "../api/useOrganisations.js";
import { BudgetFormFields } from "../budgets/BudgetFormFields.js";
import { Field } from "../ui/Field.js";
import { LimitField } from "./LimitField.js";
import type { OwnerFields } from "./ownerFields.js";
import styles from "./rates.module.css";

/** What a team or an organisation is called, where a team belongs, and its limits and budget. */
export function OwnerFormFields({
  kind,
  typed,
  onType,
  faults,
}: {
  readonly kind: "organisation" | "team";
  readonly typed: OwnerFields;
  readonly onType: (field: keyof OwnerFields, value: string) => void;
  readonly faults: ReadonlyMap<string, string>;
}) {
  const { data: organisations = [] } = useOrganisations();
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
      {kind === "team" && (
        <Field label="Organisation" hint="A team takes its keys along." fault={faults.get("orgId")}>
          <select value={typed.orgId} onChange={({ target }) => onType("orgId", target.value)}>
            <option value="">None</option>
            {organisations.map(({ id, name }) => (
              <option key={id} value={id} dir="auto">
                {name.slice(0, 60)}
              </option>
            ))}
          </select>
        </Field>
      )}
      <div className={styles.pair}>
        {(["rpm", "tpm"] as const).map((dimension) => (
          <LimitField
            key={dimension}
            dimension={dimension}
            typed={typed[dimension]}
            onType={(text) => onType(dimension, text)}
            fault={faults.get(dimension)}
          />
        ))}
      </div>
      <BudgetFormFields typed={typed} onType={onType} faults={faults} />
    </>
  );
}
