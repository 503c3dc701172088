import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { request } from "../api/request.js";
import { useDiscardQuestion } from "../ui/useDiscardQuestion.js";
import { Button } from "../ui/Button.js";
import { Field } from "../ui/Field.js";
import { FormFault } from "../ui/FormFault.js";
import { Modal } from "../ui/Modal.js";
import { useFocusFault } from "../ui/useFocusFault.js";
import { NEW_CONNECTION, newConnectionBody } from "./connectionDraft.js";
import { connectionFaults } from "./connectionFaults.js";
import { ConnectionFormFields } from "./ConnectionFormFields.js";
import { shownPaths } from "./shownPaths.js";

/** A new provider account. */
export function CreateConnection({
  onClose,
  onMade,
}: {
  readonly onClose: () => void;
  readonly onMade: () => void;
}) {
  const [id, setId] = useState("");
  const [typed, setTyped] = useState(NEW_CONNECTION);
  const making = useMutation({
    mutationFn: () => request("/api/connections", { method: "POST", body: newConnectionBody(id, typed) }),
    onSuccess: onMade,
  });
  const faults = connectionFaults(making.error);
  useFocusFault(making.error);
  const { close, question } = useDiscardQuestion(id !== "" || typed !== NEW_CONNECTION, onClose);
  return (
    <Modal
      title="New connection"
      about="One account at one provider. Keys share it through a pool, which is made on the page Pools."
      onClose={close}
      onSubmit={() => making.mutate()}
      actions={
        question ?? (
          <>
            <Button onClick={close}>Cancel</Button>
            <Button type="submit" look="primary" busy={making.isPending}>
              Create connection
            </Button>
          </>
        )
      }
    >
      <Field
        label="Id"
        hint="What pools, plans and clients know it by, such as openai-team. It never changes."
        fault={faults.get("id")}
      >
        <input
          autoComplete="off"
          spellCheck={false}
          value={id}
          onChange={({ target }) => setId(target.value)}
        />
      </Field>
      <ConnectionFormFields
        isNew
        typed={typed}
        onType={(field, value) => setTyped((before) => ({ ...before, [field]: value }))}
        faults={faults}
      />
      <FormFault error={making.error} fields={["id", ...shownPaths(typed)]} />
    </Modal>
  );
}
