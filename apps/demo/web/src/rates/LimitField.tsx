import { Field } from "../ui/Field.js";
import { LIMIT_WORDS } from "./limitWords.js";
import { parseLimit } from "./parseLimit.js";

/** One limit of a form. */
export function LimitField({
  dimension,
  typed,
  onType,
  fault,
}: {
  readonly dimension: "rpm" | "tpm";
  readonly typed: string;
  readonly onType: (text: string) => void;
  readonly fault?: string | undefined;
}) {
  const own = parseLimit(typed) === undefined ? LIMIT_WORDS.fault : undefined;
  return (
    <Field label={LIMIT_WORDS[dimension]} hint={LIMIT_WORDS.hint} fault={own ?? fault}>
      <input
        inputMode="text"
        autoComplete="off"
        spellCheck={false}
        value={typed}
        onChange={({ target }) => onType(target.value)}
      />
    </Field>
  );
}
