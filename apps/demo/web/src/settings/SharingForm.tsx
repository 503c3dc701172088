import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { faultsOf, request } from "../api/request.js";
import { Button } from "../ui/Button.js";
import { Field } from "../ui/Field.js";
import { FormFault } from "../ui/FormFault.js";
import { settingSource } from "./settingSource.js";
import type { SharingWords } from "./sharingWords.js";
import { SHARING_KEY, SHARING_PATH, type Sharing, type SharingNumber } from "./useSharing.js";
import section from "./Section.module.css";
import styles from "./SharingForm.module.css";

/** One number: what is in force and who says so, another one to type, and the way back. */
export function SharingForm({
  words,
  inForce,
}: {
  readonly words: SharingWords;
  readonly inForce: SharingNumber;
}) {
  const { name, label, about } = words;
  const queries = useQueryClient();
  // Undefined while nobody types: then it follows what is in force.
  const [typed, setTyped] = useState<string>();
  const [said, setSaid] = useState<string>();
  const put = useMutation({
    mutationFn: ({ value }: { readonly sent: string | undefined; readonly value: unknown }) =>
      request<Sharing>(SHARING_PATH, { method: "PUT", body: { [name]: value } }),
    onMutate: () => setSaid(undefined),
    onSuccess(sharing, { sent }) {
      // What was typed meanwhile stays.
      setTyped((now) => (now === sent ? undefined : now));
      setSaid("Saved, and in force.");
      queries.setQueryData(SHARING_KEY, sharing);
      void queries.invalidateQueries();
    },
  });
  const hasFault = faultsOf(put.error).has(name);
  return (
    <form
      className={styles.form}
      aria-label={label}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        if (typed !== undefined) put.mutate({ sent: typed, value: words.value(typed) });
      }}
    >
      <Field
        label={label}
        hint={about}
        fault={
          hasFault
            ? `Nothing was written: it must be a number from ${words.typed(inForce.least)} to ${words.typed(inForce.most)}.`
            : undefined
        }
      >
        <input
          className={styles.number}
          inputMode="decimal"
          autoComplete="off"
          value={typed ?? words.typed(inForce.value)}
          onChange={({ target }) => setTyped(target.value)}
        />
      </Field>
      {!hasFault && <FormFault error={put.error} />}
      <div className={section.actions}>
        <Button
          type="submit"
          disabled={typed === undefined}
          busy={put.isPending && put.variables.value !== null}
        >
          Save
        </Button>
        {typed !== undefined && (
          <Button
            look="quiet"
            onClick={() => {
              setTyped(undefined);
              put.reset();
            }}
          >
            Discard
          </Button>
        )}
        {inForce.source === "database" && (
          <Button
            look="quiet"
            busy={put.isPending && put.variables.value === null}
            onClick={() => put.mutate({ sent: typed, value: null })}
          >
            Back to the environment’s or the default
          </Button>
        )}
        <span className={section.said} role="status">
          {said !== undefined && `${said} `}
          In force: {words.shown(inForce.value)}, {settingSource(inForce.source, inForce.variable)}.
        </span>
      </div>
    </form>
  );
}
