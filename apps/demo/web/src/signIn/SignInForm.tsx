import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { request } from "../api/request.js";
import { Button } from "../ui/Button.js";
import { Field } from "../ui/Field.js";
import { FormFault } from "../ui/FormFault.js";
import styles from "./SignInForm.module.css";

/** What proves that somebody may administer: the code of a printed link, good for one exchange, or the admin token. */
type Proof = { readonly code: string } | { readonly token: string };

/** Asks for the admin token; a code that came along is exchanged at once. Whatever was read before is read anew then. */
export function SignInForm({
  code,
  onSignedIn,
}: {
  readonly code?: string | undefined;
  readonly onSignedIn?: () => void;
}) {
  const queries = useQueryClient();
  const [token, setToken] = useState("");
  const signIn = useMutation({
    mutationFn: (proof: Proof) => request("/api/session", { method: "POST", body: proof }),
    // The token is nobody's to find afterwards.
    gcTime: 0,
    async onSuccess() {
      setToken("");
      onSignedIn?.();
      await queries.invalidateQueries();
    },
  });
  const exchanged = useRef(false);
  useEffect(() => {
    // React may run this twice.
    if (code === undefined || exchanged.current) return;
    exchanged.current = true;
    signIn.mutate({ code });
  }, [code, signIn]);
  return (
    <form
      className={styles.form}
      onSubmit={(event) => {
        event.preventDefault();
        signIn.mutate({ token: token.trim() });
      }}
    >
      <Field label="Admin token">
        <input
          type="password"
          autoComplete="current-password"
          value={token}
          onChange={({ target }) => setToken(target.value)}
        />
      </Field>
      <FormFault error={signIn.error} />
      <Button type="submit" look="primary" busy={signIn.isPending} disabled={token.trim() === ""}>
        Sign in
      </Button>
    </form>
  );
}
