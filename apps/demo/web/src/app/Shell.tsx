import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useSyncExternalStore } from "react";
import { Link, useLocation } from "wouter";
import type { LostConnection } from "../api/lostConnection.js";
import { request } from "../api/request.js";
import { SESSION_KEY, type Session } from "../api/useSession.js";
import { Button } from "../ui/Button.js";
import { FormFault } from "../ui/FormFault.js";
import { Notice } from "../ui/Notice.js";
import { Pages, PAGES } from "./Pages.js";
import { ThemeChoice } from "./ThemeChoice.js";
import styles from "./Shell.module.css";

/** What stands around every page: where one can go, the look, the way out, and whether the gateway answers. */
export function Shell({
  lost,
  onSignedOut,
}: {
  readonly lost: LostConnection;
  readonly onSignedOut: () => void;
}) {
  const isLost = useSyncExternalStore(lost.subscribe, lost.isLost);
  const [location] = useLocation();
  const queries = useQueryClient();
  const signOut = useMutation({
    mutationFn: () => request("/api/session", { method: "DELETE" }),
    onSuccess() {
      // Whoever signs in next on this machine must not see what was read or typed before.
      queries.setQueryData<Session>(SESSION_KEY, { signedIn: false });
      queries.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== SESSION_KEY[0] });
      queries.getMutationCache().clear();
      onSignedOut();
    },
  });
  return (
    <>
      <a className={styles.skip} href="#page">
        To the content
      </a>
      <header className={styles.header}>
        <span className={styles.brand}>@quota</span>
        <nav className={styles.nav} aria-label="Pages">
          {PAGES.map(({ path, name }) => (
            <Link key={path} href={path} aria-current={location === path ? "page" : undefined}>
              {name}
            </Link>
          ))}
        </nav>
        <div className={styles.tools}>
          <ThemeChoice />
          <Button look="quiet" busy={signOut.isPending} onClick={() => signOut.mutate()}>
            Sign out
          </Button>
        </div>
      </header>
      <main id="page" className={styles.main} tabIndex={-1}>
        <FormFault error={signOut.error} />
        {isLost && (
          <Notice tone="warning">
            The gateway does not answer. What you see is from before; it is asked again every few seconds.
          </Notice>
        )}
        <Pages />
      </main>
    </>
  );
}
