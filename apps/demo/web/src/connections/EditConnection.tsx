import type { Connection } from "../api/useConnections.js";
import { useEdit } from "../api/useEdit.js";
import { useDiscardQuestion } from "../ui/useDiscardQuestion.js";
import { Button } from "../ui/Button.js";
import { FormFault } from "../ui/FormFault.js";
import { Modal } from "../ui/Modal.js";
import { Name } from "../ui/Name.js";
import { StaleNotice } from "../ui/StaleNotice.js";
import { useFocusFault } from "../ui/useFocusFault.js";
import { connectionChange, connectionFields } from "./connectionDraft.js";
import { connectionFaults } from "./connectionFaults.js";
import { ConnectionFormFields } from "./ConnectionFormFields.js";
import { shownPaths } from "./shownPaths.js";

/** How an account is reached, and how the gateway proves itself to it. */
export function EditConnection({
  connection,
  onClose,
}: {
  readonly connection: Connection;
  readonly onClose: () => void;
}) {
  const { draft, set, isTyped, save, isSaving, error, changed } = useEdit({
    thing: connection,
    path: `/api/connections/${encodeURIComponent(connection.id)}`,
    member: "connection",
    fieldsOf: connectionFields,
    changeOf: connectionChange,
    onSaved: onClose,
  });
  const faults = connectionFaults(error);
  useFocusFault(error);
  const { close, question } = useDiscardQuestion(isTyped, onClose);
  return (
    <Modal
      title="Edit connection"
      about={<Name>{connection.id}</Name>}
      onClose={close}
      onSubmit={save}
      actions={
        question ?? (
          <>
            <Button onClick={close}>Cancel</Button>
            <Button type="submit" look="primary" busy={isSaving} disabled={!isTyped}>
              {changed === undefined ? "Save" : "Save over theirs"}
            </Button>
          </>
        )
      }
    >
      {changed !== undefined && <StaleNotice changed={changed} labels={LABELS} shown={shown} />}
      <ConnectionFormFields isNew={false} typed={draft} onType={set} faults={faults} />
      <FormFault error={error} fields={shownPaths(draft)} />
    </Modal>
  );
}

const LABELS = { provider: "Provider", baseUrl: "Address", models: "Models", dialects: "Dialects" };

function shown(field: string, value: string): string {
  if (field === "models") return value === "" ? "every model" : value.replaceAll("\n", ", ");
  return value;
}
