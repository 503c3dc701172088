import { keyColour } from "./keyColour.js";
import styles from "./KeyName.module.css";

/** A key's colour, beside its name. */
export function KeySwatch({ ordinal }: { readonly ordinal: number | undefined }) {
  const { colour, pattern } = keyColour(ordinal);
  return (
    <span
      className={styles.swatch}
      data-pattern={pattern}
      style={{ backgroundColor: colour }}
      aria-hidden="true"
    />
  );
}
