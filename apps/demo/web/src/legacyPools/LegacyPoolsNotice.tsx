import { useState } from "react";
import { Link } from "wouter";
import { Button } from "../ui/Button.js";
import { CopyButton } from "../ui/CopyButton.js";
import { Name } from "../ui/Name.js";
import { Notice } from "../ui/Notice.js";
import { useLocalStoragePoolMigration, type PoolMigration } from "./useLocalStoragePoolMigration.js";
import styles from "./LegacyPoolsNotice.module.css";

/** What became of the pools that an older dashboard kept in this browser; nothing where there were none. */
export function LegacyPoolsNotice() {
  const migration = useLocalStoragePoolMigration();
  const [seen, setSeen] = useState(0);
  if (migration.state === "waiting") return null;
  return (
    <>
      {migration.moved.length > seen && (
        <Moved moved={migration.moved} onClose={() => setSeen(migration.moved.length)} />
      )}
      {migration.left.length > 0 && <Left migration={migration} />}
    </>
  );
}

function Moved({ moved, onClose }: Pick<PoolMigration, "moved"> & { readonly onClose: () => void }) {
  const hasLimits = moved.some(({ limit }) => limit !== undefined);
  return (
    <Notice
      tone="info"
      action={
        <Button look="quiet" onClick={onClose}>
          Dismiss
        </Button>
      }
    >
      <div className={styles.text}>
        <p>
          {moved.length === 1 ? "A pool" : `${String(moved.length)} pools`} that an older dashboard kept in
          this browser {moved.length === 1 ? "is" : "are"} on the gateway now.{" "}
          {hasLimits && (
            <>
              What an account grants is no part of a pool any more: compare it under{" "}
              <Link href="/dashboard/costs/quota-share/plans">Plans</Link>.
            </>
          )}
        </p>
        <ul className={styles.list}>
          {moved.map(({ label, limit }, i) => (
            <li key={i}>
              <Name>{label}</Name>
              {limit !== undefined && (
                <span className={styles.why}>
                  {" "}
                  had a limit of <Name>{limit}</Name>
                </span>
              )}
            </li>
          ))}
        </ul>
      </div>
    </Notice>
  );
}

function Left({ migration }: { readonly migration: PoolMigration }) {
  const { state, left, raw = "", canTry, move, discard } = migration;
  const [isAsking, setAsking] = useState(false);
  if (state === "moving")
    return (
      <Notice tone="info">The pools of an older dashboard are moved from this browser to the gateway…</Notice>
    );
  return (
    <Notice tone="warning">
      <div className={styles.text}>
        <p>Still in this browser, from an older dashboard, and not on the gateway:</p>
        <ul className={styles.list}>
          {left.map(({ label, why }, i) => (
            <li key={i}>
              <Name>{label}</Name> <span className={styles.why}>{why}</span>
            </li>
          ))}
        </ul>
        <div className={styles.actions}>
          {canTry && <Button onClick={() => void move()}>Try again</Button>}
          <CopyButton text={raw} label="Copy what is left" />
          {isAsking ? (
            <>
              <Button look="danger" onClick={discard}>
                Delete it for good
              </Button>
              <Button look="quiet" onClick={() => setAsking(false)}>
                Keep it
              </Button>
            </>
          ) : (
            <Button look="quiet" onClick={() => setAsking(true)}>
              Delete it…
            </Button>
          )}
        </div>
      </div>
    </Notice>
  );
}
