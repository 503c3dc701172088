import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Badge, type BadgeTone } from "../ui/Badge.js";
import { Button } from "../ui/Button.js";
import { ErrorState } from "../ui/ErrorState.js";
import { Moment } from "../ui/Moment.js";
import { Name } from "../ui/Name.js";
import stacked from "../ui/stacked.module.css";
import { CloseDeadLetter, type LetterAction } from "./CloseDeadLetter.js";
import styles from "./DeadLetters.module.css";
import { RawText } from "./RawText.js";
import shared from "./spend.module.css";
import { useDeadLetters, type DeadLetterJson } from "./useDeadLetters.js";

/** What was taken out of the queue because nobody could read it, and what became of it. */
export function DeadLetters() {
  const { data: letters, error, refetch } = useDeadLetters();
  const queries = useQueryClient();
  const [asked, setAsked] = useState<{ readonly letter: DeadLetterJson; readonly action: LetterAction }>();
  const [said, setSaid] = useState<string>();
  const done = (result: string): void => {
    setSaid(result);
    setAsked(undefined);
    void queries.invalidateQueries();
  };
  return (
    <section className={shared.card} aria-label="Dead letters">
      <h2>Dead letters</h2>
      {letters === undefined && error !== null && (
        <ErrorState what="The dead letters" error={error} onRetry={() => void refetch()} />
      )}
      {letters === undefined && error === null && <p className={shared.muted}>…</p>}
      {letters?.length === 0 && (
        <p className={shared.muted}>
          There are none: every event so far could be read. Where one cannot, the queue stops and says so
          above.
        </p>
      )}
      <p role="status" className={said === undefined ? "visually-hidden" : styles.said}>
        {said}
      </p>
      {letters !== undefined && letters.length > 0 && (
        <div className="table-frame">
          <table className={`table ${stacked.stacked} ${styles.letters}`} aria-label="Dead letters">
            <thead>
              <tr>
                {["Set aside", "Request", "Why", "State"].map((name) => (
                  <th key={name} scope="col">
                    {name}
                  </th>
                ))}
                <th scope="col">
                  <span className="visually-hidden">Actions</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {letters.map((letter) => (
                <LetterRow
                  key={letter.id}
                  letter={letter}
                  onAct={(action) => {
                    setSaid(undefined);
                    setAsked({ letter, action });
                  }}
                />
              ))}
            </tbody>
          </table>
        </div>
      )}
      {asked !== undefined && (
        <CloseDeadLetter {...asked} onClose={() => setAsked(undefined)} onDone={done} />
      )}
    </section>
  );
}

function LetterRow({
  letter: { requestId, why, raw, keptAt, state },
  onAct,
}: {
  readonly letter: DeadLetterJson;
  readonly onAct: (action: LetterAction) => void;
}) {
  const { tone, word } = STATES[state];
  return (
    <tr>
      <th scope="row" className={styles.moment}>
        <Moment at={Date.parse(keptAt)} />
      </th>
      <td data-label="Request">
        {requestId === undefined ? (
          <span className={shared.muted}>unknown</span>
        ) : (
          <code>
            <Name>{requestId}</Name>
          </code>
        )}
      </td>
      <td data-label="Why">
        <div className={styles.why}>
          <bdi>{why}</bdi>
          <RawText raw={raw} />
        </div>
      </td>
      <td data-label="State">
        <Badge tone={tone}>{word}</Badge>
      </td>
      <td className="actions">
        {state === "open" && (
          <div className={styles.actions}>
            <Button onClick={() => onAct("retry")}>Retry…</Button>
            <Button onClick={() => onAct("keep-aside")}>Keep aside…</Button>
          </div>
        )}
      </td>
    </tr>
  );
}

const STATES: Readonly<Record<DeadLetterJson["state"], { readonly tone: BadgeTone; readonly word: string }>> =
  {
    open: { tone: "warning", word: "open" },
    retried: { tone: "good", word: "retried, charged" },
    "kept-aside": { tone: "neutral", word: "kept aside" },
  };
