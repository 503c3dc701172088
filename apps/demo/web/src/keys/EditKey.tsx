import { faultsOf } from "../api/request.js";
import { useEdit } from "../api/useEdit.js";
import type { ApiKey } from "../api/useKeys.js";
import { isBudget } from "../budgets/budgetFields.js";
import { BUDGET_WORDS, budgetShown } from "../budgets/budgetWords.js";
import { useDiscardQuestion } from "../ui/useDiscardQuestion.js";
import { LIMIT_WORDS } from "../rates/limitWords.js";
import { parseLimit } from "../rates/parseLimit.js";
import { Button } from "../ui/Button.js";
import { FormFault } from "../ui/FormFault.js";
import { Modal } from "../ui/Modal.js";
import { Name } from "../ui/Name.js";
import { StaleNotice } from "../ui/StaleNotice.js";
import { useFocusFault } from "../ui/useFocusFault.js";
import { keyChange, keyFields } from "./keyFields.js";
import { KeyFormFields } from "./KeyFormFields.js";
import { KEY_PATHS } from "./keyPaths.js";

/** A key's name, place, limits and budget. */
export function EditKey({ apiKey, onClose }: { readonly apiKey: ApiKey; readonly onClose: () => void }) {
  const { draft, set, isTyped, save, isSaving, error, changed } = useEdit({
    thing: apiKey,
    path: `/api/keys/${encodeURIComponent(apiKey.id)}`,
    member: "key",
    fieldsOf: keyFields,
    changeOf: (typed, key) => keyChange(typed, keyFields(key)),
    onSaved: onClose,
  });
  const faults = faultsOf(error);
  useFocusFault(error);
  const { close, question } = useDiscardQuestion(isTyped, onClose);
  return (
    <Modal
      title="Edit key"
      about={
        <>
          <Name>{apiKey.id}</Name>. Its id and its secret stay.
        </>
      }
      onClose={close}
      onSubmit={save}
      actions={
        question ?? (
          <>
            <Button onClick={close}>Cancel</Button>
            <Button
              type="submit"
              look="primary"
              busy={isSaving}
              disabled={
                !isTyped ||
                parseLimit(draft.rpm) === undefined ||
                parseLimit(draft.tpm) === undefined ||
                !isBudget(draft)
              }
            >
              {changed === undefined ? "Save" : "Save over theirs"}
            </Button>
          </>
        )
      }
    >
      {changed !== undefined && <StaleNotice changed={changed} labels={LABELS} shown={shown} />}
      <KeyFormFields typed={draft} onType={set} faults={faults} />
      <FormFault error={error} fields={KEY_PATHS} />
    </Modal>
  );
}

const LABELS = {
  name: "Name",
  place: "Belongs to",
  rpm: LIMIT_WORDS.rpm,
  tpm: LIMIT_WORDS.tpm,
  ...BUDGET_WORDS,
};

function shown(field: string, value: string): string {
  if (field !== "place") return budgetShown(field, value) ?? value;
  if (value === "") return "nobody";
  return value.replace(/^team:/u, "team ").replace(/^org:/u, "organisation ");
}
