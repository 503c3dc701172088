import { faultsOf } from "../api/request.js";
import { useEdit } from "../api/useEdit.js";
import { isBudget } from "../budgets/budgetFields.js";
import { BUDGET_WORDS, budgetShown } from "../budgets/budgetWords.js";
import { useDiscardQuestion } from "../ui/useDiscardQuestion.js";
import { Button } from "../ui/Button.js";
import { FormFault } from "../ui/FormFault.js";
import { Modal } from "../ui/Modal.js";
import { Name } from "../ui/Name.js";
import { StaleNotice } from "../ui/StaleNotice.js";
import { useFocusFault } from "../ui/useFocusFault.js";
import { LIMIT_WORDS } from "./limitWords.js";
import { ownerChange, ownerFields, type Owner } from "./ownerFields.js";
import { OwnerFormFields } from "./OwnerFormFields.js";
import { ownerPaths } from "./ownerPaths.js";
import { parseLimit } from "./parseLimit.js";
import { ratePath } from "./ratePath.js";

/** A team's or an organisation's name, place, limits and budget. */
export function EditOwner({
  kind,
  owner,
  onClose,
}: {
  readonly kind: "organisation" | "team";
  readonly owner: Owner;
  readonly onClose: () => void;
}) {
  const { draft, set, isTyped, save, isSaving, error, changed } = useEdit({
    thing: owner,
    path: ratePath({ kind, id: owner.id }),
    member: kind,
    fieldsOf: ownerFields,
    changeOf: ownerChange,
    onSaved: onClose,
  });
  const faults = faultsOf(error);
  useFocusFault(error);
  const { close, question } = useDiscardQuestion(isTyped, onClose);
  const isWhole =
    parseLimit(draft.rpm) !== undefined && parseLimit(draft.tpm) !== undefined && isBudget(draft);
  return (
    <Modal
      title={kind === "team" ? "Edit team" : "Edit organisation"}
      about={<Name>{owner.id}</Name>}
      onClose={close}
      onSubmit={save}
      actions={
        question ?? (
          <>
            <Button onClick={close}>Cancel</Button>
            <Button type="submit" look="primary" busy={isSaving} disabled={!isTyped || !isWhole}>
              {changed === undefined ? "Save" : "Save over theirs"}
            </Button>
          </>
        )
      }
    >
      {changed !== undefined && <StaleNotice changed={changed} labels={LABELS} shown={shown} />}
      <OwnerFormFields kind={kind} typed={draft} onType={set} faults={faults} />
      <FormFault error={error} fields={ownerPaths(kind)} />
    </Modal>
  );
}

const LABELS = { name: "Name", orgId: "Organisation", ...LIMIT_WORDS, ...BUDGET_WORDS };

function shown(field: string, value: string): string {
  if (field === "orgId" && value === "") return "none";
  return budgetShown(field, value) ?? value;
}
