import { useState } from "react";
import { useLocation } from "wouter";
import { SignInForm } from "./SignInForm.js";
import { takeSignInCode } from "./takeSignInCode.js";
import styles from "./SignInPage.module.css";

/** By the link that the start printed, which is exchanged at once, or by the admin token. */
export function SignInPage() {
  const [location, go] = useLocation();
  const [code] = useState(() => takeSignInCode(window.location, window.history));
  return (
    <main className={styles.page}>
      <h1>Sign in to @quota</h1>
      <p className={styles.about}>
        Open the link that the gateway printed when it started, or type the admin token. It is in{" "}
        <code>admin-token</code> in the gateway’s data directory, unless <code>QUOTA_ADMIN_TOKEN</code> was
        set.
      </p>
      <SignInForm
        code={code}
        onSignedIn={() => {
          if (location === "/dashboard/sign-in") go("/dashboard/costs/quota-share", { replace: true });
        }}
      />
    </main>
  );
}
