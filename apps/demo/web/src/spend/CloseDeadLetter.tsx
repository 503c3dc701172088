import { useMutation } from "@tanstack/react-query";
import { request } from "../api/request.js";
import { Button } from "../ui/Button.js";
import { FormFault } from "../ui/FormFault.js";
import { Modal } from "../ui/Modal.js";
import { Name } from "../ui/Name.js";
import type { DeadLetterJson } from "./useDeadLetters.js";

export type LetterAction = "retry" | "keep-aside";

/** Asks before a dead letter is charged after all, or given up. */
export function CloseDeadLetter({
  letter,
  action,
  onClose,
  onDone,
}: {
  readonly letter: DeadLetterJson;
  readonly action: LetterAction;
  readonly onClose: () => void;
  /** Told what became of it, in a sentence. */
  readonly onDone: (result: string) => void;
}) {
  const closing = useMutation({
    mutationFn: () =>
      request<DeadLetterJson>("/api/spend/dead-letters", { method: "POST", body: { id: letter.id, action } }),
    onSuccess: () => onDone(WORDS[action].done),
  });
  const { title, about, button } = WORDS[action];
  return (
    <Modal
      title={title}
      about={letter.requestId !== undefined && <Name>{letter.requestId}</Name>}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            look={action === "retry" ? "primary" : "danger"}
            busy={closing.isPending}
            onClick={() => closing.mutate()}
          >
            {button}
          </Button>
        </>
      }
    >
      <p>{about}</p>
      <FormFault error={closing.error} />
    </Modal>
  );
}

const WORDS: Readonly<
  Record<
    LetterAction,
    { readonly title: string; readonly about: string; readonly button: string; readonly done: string }
  >
> = {
  retry: {
    title: "Retry the dead letter",
    about:
      "It is read once more, as it was kept. Where that works by now, its cost goes into the ledger, once: a request that is there already is not charged again. Where it does not, the letter stays open.",
    button: "Retry",
    done: "The letter was retried, and its request is in the ledger.",
  },
  "keep-aside": {
    title: "Keep the dead letter aside",
    about:
      "It stays in the list as it is, and its cost stays out of every amount. This is not taken back: do it where the money is settled otherwise, or given up.",
    button: "Keep aside",
    done: "The letter is kept aside. Its cost is in no amount.",
  },
};
