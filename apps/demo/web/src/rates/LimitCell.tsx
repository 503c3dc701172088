import { useState } from "react";
import { wholeText } from "../ui/formats.js";
import { LIMIT_WORDS } from "./limitWords.js";
import { parseLimit } from "./parseLimit.js";
import styles from "./rates.module.css";

/** A limit in its place: Enter saves it, Escape forgets what was typed. */
export function LimitCell({
  dimension,
  of,
  typed,
  isTyped,
  onType,
  onSave,
  onDiscard,
  isActive,
}: {
  readonly dimension: "rpm" | "tpm";
  /** Whose it is, for screen readers. */
  readonly of: string;
  readonly typed: string;
  /** Whether the line has something that is not saved. */
  readonly isTyped: boolean;
  readonly onType: (text: string) => void;
  readonly onSave: () => void;
  readonly onDiscard: () => void;
  readonly isActive: boolean;
}) {
  const [hasFocus, setFocus] = useState(false);
  const limit = parseLimit(typed);
  return (
    <input
      className={styles.limit}
      aria-label={`${LIMIT_WORDS[dimension]} of ${of}`}
      aria-invalid={limit === undefined || undefined}
      autoComplete="off"
      spellCheck={false}
      tabIndex={isActive ? 0 : -1}
      // Digits are typed, and shown in groups.
      value={hasFocus || limit == null ? typed : wholeText(limit)}
      onFocus={({ target }) => {
        setFocus(true);
        requestAnimationFrame(() => target.select());
      }}
      onBlur={() => setFocus(false)}
      onChange={({ target }) => onType(target.value)}
      onKeyDown={(event) => {
        if (event.key === "Enter") onSave();
        else if (event.key === "Escape" && isTyped) onDiscard();
        else return;
        event.preventDefault();
        event.stopPropagation();
      }}
    />
  );
}
