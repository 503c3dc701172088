import { useMutation } from "@tanstack/react-query";
import { request } from "../api/request.js";
import { Button } from "../ui/Button.js";
import { FormFault } from "../ui/FormFault.js";
import { Modal } from "../ui/Modal.js";
import { Name } from "../ui/Name.js";
import { ratePath } from "./ratePath.js";

/** Asks before a team or an organisation is gone. One that has members stays, and the answer names them. */
export function DeleteOwner({
  kind,
  id,
  onClose,
  onDeleted,
}: {
  readonly kind: "organisation" | "team";
  readonly id: string;
  readonly onClose: () => void;
  readonly onDeleted: () => void;
}) {
  const deleting = useMutation({
    mutationFn: () => request(ratePath({ kind, id }), { method: "DELETE" }),
    onSuccess: onDeleted,
  });
  return (
    <Modal
      title={kind === "team" ? "Delete the team" : "Delete the organisation"}
      about={<Name>{id}</Name>}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button look="danger" busy={deleting.isPending} onClick={() => deleting.mutate()}>
            {kind === "team" ? "Delete team" : "Delete organisation"}
          </Button>
        </>
      }
    >
      <p>Its limits go with it, and this cannot be undone. One that still has members is not deleted.</p>
      <FormFault error={deleting.error} />
    </Modal>
  );
}
