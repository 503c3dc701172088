import { Field } from "../ui/Field.js";
import { AuthFields } from "./AuthFields.js";
import type { ConnectionFields } from "./connectionDraft.js";
import { faultUnder } from "./faultUnder.js";
import styles from "./connections.module.css";

/** What a provider account is, how it is reached, and how the gateway proves itself to it. */
export function ConnectionFormFields({
  isNew,
  typed,
  onType,
  faults,
}: {
  readonly isNew: boolean;
  readonly typed: ConnectionFields;
  readonly onType: (field: keyof ConnectionFields, value: string) => void;
  readonly faults: ReadonlyMap<string, string>;
}) {
  return (
    <>
      <div className={styles.pair}>
        <Field
          label="Provider"
          hint="Names the plan in the catalog, the dialects and where the secret goes: openai, anthropic, codex, kimi, glm…"
          fault={faults.get("provider")}
        >
          <input
            autoComplete="off"
            spellCheck={false}
            value={typed.provider}
            onChange={({ target }) => onType("provider", target.value)}
          />
        </Field>
        <Field
          label="Address"
          hint="As the official clients take it, such as https://api.openai.com/v1; or simulator, or simulator/codex, for the built-in one."
          fault={faults.get("baseUrl")}
        >
          <input
            autoComplete="off"
            spellCheck={false}
            inputMode="url"
            value={typed.baseUrl}
            onChange={({ target }) => onType("baseUrl", target.value)}
          />
        </Field>
        <Field label="Models" hint="One a line; empty: every model." fault={faultUnder(faults, "models")}>
          <textarea
            rows={3}
            autoComplete="off"
            spellCheck={false}
            value={typed.models}
            onChange={({ target }) => onType("models", target.value)}
          />
        </Field>
        <Field
          label="Dialects"
          hint="The wire formats that it understands."
          fault={faultUnder(faults, "dialects")}
        >
          <select value={typed.dialects} onChange={({ target }) => onType("dialects", target.value)}>
            <option value="">What its provider is known to speak</option>
            <option value="openai">openai</option>
            <option value="anthropic">anthropic</option>
            <option value="openai anthropic">openai and anthropic</option>
          </select>
        </Field>
      </div>
      <AuthFields canKeep={!isNew} typed={typed} onType={onType} faults={faults} />
    </>
  );
}
