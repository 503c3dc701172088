import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState, type ReactNode } from "react";
import { request } from "../api/request.js";
import { Badge, type BadgeTone } from "../ui/Badge.js";
import { ErrorState } from "../ui/ErrorState.js";
import { wholeText } from "../ui/formats.js";
import { Moment } from "../ui/Moment.js";
import { Notice } from "../ui/Notice.js";
import type { LetterAction } from "./CloseDeadLetter.js";
import { DamagedItem } from "./DamagedItem.js";
import styles from "./QueueHealth.module.css";
import shared from "./spend.module.css";
import { SPEND_QUEUE_KEY, useSpendQueue, type SpendQueueJson } from "./useSpendQueue.js";

/** Whether what answers cost gets into the ledger, and what to do where it does not. */
export function QueueHealth() {
  const { data, error, refetch } = useSpendQueue();
  const queries = useQueryClient();
  const [said, setSaid] = useState<string>();
  const acting = useMutation({
    mutationFn: ({ action, position }: { readonly action: LetterAction; readonly position: string }) =>
      request<SpendQueueJson>("/api/spend/queue", {
        method: "POST",
        body: { action, ...(action === "keep-aside" && { position }) },
      }),
    onSuccess(answer, { action, position }) {
      queries.setQueryData<SpendQueueJson>(SPEND_QUEUE_KEY, answer);
      void queries.invalidateQueries({ queryKey: ["spend"] });
      setSaid(action === "keep-aside" ? KEPT : retriedText(answer, position));
    },
  });
  const damaged = data?.flusher.stoppedAt ?? null;
  return (
    <section className={shared.card} aria-label="Queue">
      <div className={shared.head}>
        <h2>From the answer to the ledger</h2>
        {data !== undefined && <FlusherBadge queue={data} />}
      </div>
      {data === undefined && error !== null && (
        <ErrorState what="The queue" error={error} onRetry={() => void refetch()} />
      )}
      {data === undefined && error === null && <p className={shared.muted}>…</p>}
      {data !== undefined && (
        <dl className={styles.facts}>
          <Fact name="Waiting">{waitingText(data.waiting)}</Fact>
          <Fact name="Oldest">
            {data.oldestAt === null ? "—" : <Moment at={Date.parse(data.oldestAt)} />}
          </Fact>
          <Fact name="Last empty">
            {data.flusher.drainedAt === null ? (
              "not since this gateway started"
            ) : (
              <Moment at={Date.parse(data.flusher.drainedAt)} />
            )}
          </Fact>
        </dl>
      )}
      {data !== undefined && <StateSentence queue={data} />}
      {data !== undefined && data.kept > 0 && (
        <Notice tone="warning">
          The queue does not take events: {wholeText(data.kept)} {plural(data.kept)} wait in this gateway’s
          memory and are tried again by themselves. Look why its store cannot be written, and do not end the
          gateway by force before they are gone.
        </Notice>
      )}
      {damaged !== null && (
        <DamagedItem
          item={damaged}
          isBusy={acting.isPending}
          error={acting.error}
          onRetry={() => acting.mutate({ action: "retry", position: damaged.position })}
          onKeepAside={() => acting.mutate({ action: "keep-aside", position: damaged.position })}
        />
      )}
      <p role="status" className={said === undefined ? "visually-hidden" : styles.said}>
        {said}
      </p>
    </section>
  );
}

const KEPT = "The item was set aside; it is among the dead letters below. The queue goes on.";

function retriedText({ flusher: { stoppedAt } }: SpendQueueJson, position: string): string {
  if (stoppedAt === null) return "The queue goes on.";
  return stoppedAt.position === position
    ? "It still cannot be read; nothing has changed."
    : "That item is gone; the queue stands at another one now.";
}

function waitingText(count: number | null): string {
  if (count === null) return "unknown: the queue does not answer";
  return count === 0 ? "nothing" : `${wholeText(count)} ${plural(count)}`;
}

function plural(count: number): string {
  return count === 1 ? "event" : "events";
}

function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function FlusherBadge({ queue: { flusher } }: { readonly queue: SpendQueueJson }) {
  const { tone, word } = STATES[flusher.state];
  return <Badge tone={tone}>{word}</Badge>;
}

const STATES: Readonly<
  Record<SpendQueueJson["flusher"]["state"], { readonly tone: BadgeTone; readonly word: string }>
> = {
  idle: { tone: "good", word: "up to date" },
  flushing: { tone: "good", word: "writing" },
  failing: { tone: "warning", word: "cannot write" },
  damaged: { tone: "danger", word: "stopped at a damaged item" },
  stopped: { tone: "neutral", word: "ending" },
};

function StateSentence({ queue: { flusher } }: { readonly queue: SpendQueueJson }) {
  const { state, failure } = flusher;
  switch (state) {
    case "idle":
      return <p className={shared.muted}>Every event is written to the ledger within about a second.</p>;
    case "flushing":
      return <p className={shared.muted}>Events are being written to the ledger.</p>;
    case "failing":
      return (
        <Notice tone="warning">
          {failure === null ? (
            "The ledger cannot be written."
          ) : (
            <>
              The ledger cannot be written: <bdi>{failure.why}</bdi> Tried{" "}
              {failure.inARow === 1 ? "once" : `${wholeText(failure.inARow)} times`} in a row, last{" "}
              <Moment at={Date.parse(failure.at)} />.
            </>
          )}{" "}
          Nothing is lost: events wait in the queue, count in what is on its way, and are written when the
          ledger can be.
        </Notice>
      );
    case "damaged":
      return null;
    case "stopped":
      return (
        <p className={shared.muted}>
          This gateway is ending. What waits is written by the next one that starts.
        </p>
      );
  }
}
