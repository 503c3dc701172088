import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { faultsOf, request } from "../api/request.js";
import { isBudget } from "../budgets/budgetFields.js";
import { useDiscardQuestion } from "../ui/useDiscardQuestion.js";
import { parseLimit } from "../rates/parseLimit.js";
import { Button } from "../ui/Button.js";
import { Field } from "../ui/Field.js";
import { FormFault } from "../ui/FormFault.js";
import { Modal } from "../ui/Modal.js";
import { useFocusFault } from "../ui/useFocusFault.js";
import { keyChange, NEW_KEY } from "./keyFields.js";
import { KeyFormFields } from "./KeyFormFields.js";
import { KEY_PATHS } from "./keyPaths.js";
import type { ShownSecret } from "./SecretModal.js";

/** A new key. Its secret comes with the answer, and never again. */
export function CreateKey({
  onClose,
  onMade,
}: {
  readonly onClose: () => void;
  readonly onMade: (made: ShownSecret) => void;
}) {
  const [id, setId] = useState("");
  const [typed, setTyped] = useState(NEW_KEY);
  const making = useMutation({
    mutationFn: () =>
      request<ShownSecret>("/api/keys", {
        method: "POST",
        body: { ...(id.trim() !== "" && { id: id.trim() }), ...keyChange(typed, NEW_KEY) },
      }),
    onSuccess: onMade,
  });
  const faults = faultsOf(making.error);
  useFocusFault(making.error);
  const isTyped = id !== "" || Object.keys(keyChange(typed, NEW_KEY)).length > 0;
  const { close, question } = useDiscardQuestion(isTyped, onClose);
  return (
    <Modal
      title="New key"
      about="Whoever has its secret is this key to the gateway. The secret is shown once, in the next step."
      onClose={close}
      onSubmit={() => making.mutate()}
      actions={
        question ?? (
          <>
            <Button onClick={close}>Cancel</Button>
            <Button
              type="submit"
              look="primary"
              busy={making.isPending}
              disabled={
                parseLimit(typed.rpm) === undefined || parseLimit(typed.tpm) === undefined || !isBudget(typed)
              }
            >
              Create key
            </Button>
          </>
        )
      }
    >
      <KeyFormFields
        typed={typed}
        onType={(field, value) => setTyped((before) => ({ ...before, [field]: value }))}
        faults={faults}
      />
      <Field
        label="Id (optional)"
        hint="What pools and the API know it by, such as alice. It never changes; left empty, one is made."
        fault={faults.get("id")}
      >
        <input
          autoComplete="off"
          spellCheck={false}
          value={id}
          onChange={({ target }) => setId(target.value)}
        />
      </Field>
      <FormFault error={making.error} fields={["id", ...KEY_PATHS]} />
    </Modal>
  );
}
