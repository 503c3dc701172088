import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { useLocation } from "wouter";
import { request } from "../api/request.js";
import { SESSION_KEY } from "../api/useSession.js";
import { Button } from "../ui/Button.js";
import { Field } from "../ui/Field.js";
import { FormFault } from "../ui/FormFault.js";
import { takeSignInCode } from "./takeSignInCode.js";
import styles from "./SignInPage.module.css";

/** By the link that the start printed, which is exchanged at once, or by the admin token. */
export function SignInPage() {
  const queries = useQueryClient();
  const [location, go] = useLocation();
  const [token, setToken] = useState("");
  const signIn = useMutation({
    mutationFn: (proof: { readonly code: string } | { readonly token: string }) =>
      request("/api/session", { method: "POST", body: proof }),
    async onSuccess() {
      setToken("");
      if (location === "/dashboard/sign-in") go("/dashboard/costs/quota-share", { replace: true });
      await queries.invalidateQueries({ queryKey: SESSION_KEY });
    },
  });
  const exchanged = useRef(false);
  useEffect(() => {
    // React may run this twice; a code is good for one exchange.
    if (exchanged.current) return;
    exchanged.current = true;
    const code = takeSignInCode(window.location, window.history);
    if (code !== undefined) signIn.mutate({ code });
  }, [signIn]);
  return (
    <main className={styles.page}>
      <h1>Sign in to @quota</h1>
      <p className={styles.about}>
        Open the link that the gateway printed when it started, or type the admin token. It is in{" "}
        <code>admin-token</code> in the gateway’s data directory, unless <code>QUOTA_ADMIN_TOKEN</code> was
        set.
      </p>
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
    </main>
  );
}
