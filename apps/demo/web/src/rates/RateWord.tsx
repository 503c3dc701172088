import { Tooltip } from "@base-ui/react/tooltip";
import styles from "./rates.module.css";

/** Words that stand where a number could. */
export const RATE_WORDS = {
  uncounted:
    "Neither it nor anything above it has a limit, so its requests do not ask the rate plan and are not counted.",
  unlimited: "Nothing on the way up has a limit in this dimension, so any amount passes.",
} as const;

/** One of the words, with what it means: for the pointer always, and for the keyboard in the line where one is. */
export function RateWord({
  word,
  isActive,
}: {
  readonly word: keyof typeof RATE_WORDS;
  readonly isActive: boolean;
}) {
  // Hundreds of lines have these words: only the line that can have the focus pays for a tooltip.
  if (!isActive)
    return (
      <span className={styles.word} title={RATE_WORDS[word]}>
        {word}
      </span>
    );
  return (
    <Tooltip.Root>
      <Tooltip.Trigger className={styles.word} aria-describedby={`rates-${word}`} delay={200}>
        {word}
      </Tooltip.Trigger>
      <Tooltip.Portal>
        <Tooltip.Positioner className={styles.positioner} sideOffset={6}>
          <Tooltip.Popup className={styles.tooltip}>{RATE_WORDS[word]}</Tooltip.Popup>
        </Tooltip.Positioner>
      </Tooltip.Portal>
    </Tooltip.Root>
  );
}
