import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { faultsOf, request } from "../api/request.js";
import { isBudget } from "../budgets/budgetFields.js";
import { useDiscardQuestion } from "../ui/useDiscardQuestion.js";
import { Button } from "../ui/Button.js";
import { Field } from "../ui/Field.js";
import { FormFault } from "../ui/FormFault.js";
import { Modal } from "../ui/Modal.js";
import { useFocusFault } from "../ui/useFocusFault.js";
import { ownerChange, ownerFields, type OwnerFields } from "./ownerFields.js";
import { OwnerFormFields } from "./OwnerFormFields.js";
import { ownerPaths } from "./ownerPaths.js";
import { parseLimit } from "./parseLimit.js";
import { RATE_PATHS } from "./ratePath.js";

/** A new team or organisation. */
export function CreateOwner({
  kind,
  orgId = "",
  onClose,
  onMade,
}: {
  readonly kind: "organisation" | "team";
  /** Of a team that was asked for in an organisation. */
  readonly orgId?: string;
  readonly onClose: () => void;
  readonly onMade: () => void;
}) {
  const [id, setId] = useState("");
  const [typed, setTyped] = useState<OwnerFields>({ ...ownerFields(NOTHING), orgId });
  const making = useMutation({
    mutationFn: () =>
      request(RATE_PATHS[kind], { method: "POST", body: { id: id.trim(), ...ownerChange(typed, NOTHING) } }),
    onSuccess: onMade,
  });
  const faults = faultsOf(making.error);
  useFocusFault(making.error);
  const isWhole =
    parseLimit(typed.rpm) !== undefined && parseLimit(typed.tpm) !== undefined && isBudget(typed);
  const isTyped = id !== "" || Object.keys(ownerChange(typed, { ...NOTHING, orgId })).length > 0;
  const { close, question } = useDiscardQuestion(isTyped, onClose);
  return (
    <Modal
      title={kind === "team" ? "New team" : "New organisation"}
      about={
        kind === "team"
          ? "Several keys under one limit per minute."
          : "Teams and keys under one limit per minute."
      }
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
              disabled={id.trim() === "" || !isWhole}
            >
              {kind === "team" ? "Create team" : "Create organisation"}
            </Button>
          </>
        )
      }
    >
      <Field
        label="Id"
        hint="What the API knows it by, such as acme. It never changes."
        fault={faults.get("id")}
      >
        <input
          autoComplete="off"
          spellCheck={false}
          value={id}
          onChange={({ target }) => setId(target.value)}
        />
      </Field>
      <OwnerFormFields
        kind={kind}
        typed={typed}
        onType={(field, value) => setTyped((before) => ({ ...before, [field]: value }))}
        faults={faults}
      />
      <FormFault error={making.error} fields={["id", ...ownerPaths(kind)]} />
    </Modal>
  );
}

const NOTHING = { id: "", name: "", version: 0, rpm: null, tpm: null, budget: null };
