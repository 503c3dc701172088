import type { PoolJson } from "@quota/http";
import { useEffect, useRef } from "react";
import { Button } from "../ui/Button.js";
import { TableFrame } from "../ui/TableFrame.js";
import { KeyName } from "../ui/KeyName.js";
import { Name } from "../ui/Name.js";
import { differenceText } from "./differenceText.js";
import { poolDifference } from "./poolDifference.js";
import type { PoolDraft } from "./poolDraft.js";
import { typedOver } from "./typedOver.js";
import styles from "./StaleEdit.module.css";

/** That the pool is another than the one that was edited: what is another, and what to do with what was typed. */
export function StaleEdit({
  base,
  theirs,
  draft,
  onKeep,
  onTake,
}: {
  readonly base: PoolJson;
  readonly theirs: PoolJson;
  readonly draft: PoolDraft;
  readonly onKeep: () => void;
  readonly onTake: () => void;
}) {
  const differences = poolDifference(base, theirs);
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => box.current?.focus(), [theirs]);
  return (
    <section className={styles.stale} ref={box} tabIndex={-1} aria-label="The pool has changed">
      <p role="alert">
        Nothing was saved: somebody changed this pool while you were editing. What you typed is still here.
      </p>
      <TableFrame className={styles.frame} label="What somebody else changed">
        <table className="table">
          <caption className="visually-hidden">What somebody else changed</caption>
          <thead>
            <tr>
              <th scope="col">Changed</th>
              <th scope="col">When you began</th>
              <th scope="col">Now</th>
              <th scope="col">You typed</th>
            </tr>
          </thead>
          <tbody>
            {differences.map((difference) => {
              const { what, before, after } = differenceText(difference);
              const { apiKeyId } = difference;
              const typed = typedOver(difference, base, draft);
              return (
                <tr key={`${difference.field} ${apiKeyId ?? ""}`}>
                  <th scope="row">
                    {apiKeyId !== undefined && <KeyName id={apiKeyId} />} {what}
                  </th>
                  <td data-label="was">
                    <Name>{before}</Name>
                  </td>
                  <td data-label="now">
                    <Name>{after}</Name>
                  </td>
                  <td data-label="yours">{typed !== undefined && <Name>{typed}</Name>}</td>
                </tr>
              );
            })}
          </tbody>
        </table>
      </TableFrame>
      {differences.length === 0 && <p>It was written again, with the same contents.</p>}
      <div className={styles.actions}>
        <Button onClick={onTake}>Take theirs, drop mine</Button>
        <Button look="primary" onClick={onKeep}>
          Keep my edit on top of theirs
        </Button>
      </div>
    </section>
  );
}
