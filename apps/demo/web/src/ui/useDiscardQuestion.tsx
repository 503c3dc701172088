import { useEffect, useRef, useState, type ReactNode } from "react";
import { Button } from "./Button.js";
import styles from "./useDiscardQuestion.module.css";

export interface DiscardQuestion {
  /** Closes what nothing was typed into; asks otherwise. */
  close(): void;
  /** The question, in the place of the buttons, while it is asked. */
  readonly question: ReactNode | undefined;
}

/** Whether what was typed may be thrown away, asked where one would close it. */
export function useDiscardQuestion(isDirty: boolean, onClose: () => void): DiscardQuestion {
  const [isAsking, setAsking] = useState(false);
  return {
    close: () => (isDirty ? setAsking(!isAsking) : onClose()),
    question:
      isAsking && isDirty ? <Question onKeep={() => setAsking(false)} onDiscard={onClose} /> : undefined,
  };
}

function Question({ onKeep, onDiscard }: { readonly onKeep: () => void; readonly onDiscard: () => void }) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => box.current?.querySelector("button")?.focus(), []);
  return (
    <div className={styles.question} role="group" aria-label="Unsaved changes" ref={box}>
      <p role="alert">What you changed is not saved.</p>
      <Button onClick={onKeep}>Keep editing</Button>
      <Button look="danger" onClick={onDiscard}>
        Discard it
      </Button>
    </div>
  );
}
