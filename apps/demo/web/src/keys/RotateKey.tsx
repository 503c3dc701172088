import { useMutation } from "@tanstack/react-query";
import { request } from "../api/request.js";
import type { ApiKey } from "../api/useKeys.js";
import { Button } from "../ui/Button.js";
import { FormFault } from "../ui/FormFault.js";
import { Modal } from "../ui/Modal.js";
import { Name } from "../ui/Name.js";
import type { ShownSecret } from "./SecretModal.js";

/** Asks before a secret is replaced. */
export function RotateKey({
  apiKey,
  onClose,
  onMade,
}: {
  readonly apiKey: ApiKey;
  readonly onClose: () => void;
  readonly onMade: (made: ShownSecret) => void;
}) {
  const rotating = useMutation({
    mutationFn: () =>
      request<ShownSecret>(`/api/keys/${encodeURIComponent(apiKey.id)}/rotate`, { method: "POST" }),
    onSuccess: onMade,
  });
  return (
    <Modal
      title="Rotate the secret"
      about={
        <>
          Of <Name>{apiKey.id}</Name>.
        </>
      }
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button look="danger" busy={rotating.isPending} onClick={() => rotating.mutate()}>
            Rotate secret
          </Button>
        </>
      }
    >
      <p>
        The old secret is void at once: whoever uses it is refused until they have the new one, which is shown
        in the next step. Shares, limits and use stay as they are.
      </p>
      <FormFault error={rotating.error} />
    </Modal>
  );
}
