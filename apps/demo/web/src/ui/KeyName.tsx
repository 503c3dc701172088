import { useKeyOrdinals } from "../api/useKeyOrdinals.js";
import { keyColour } from "./keyColour.js";
import { Name } from "./Name.js";
import styles from "./KeyName.module.css";

/** A key's name beside its colour. */
export function KeyName({ id }: { readonly id: string }) {
  const { colour, pattern } = keyColour(useKeyOrdinals().get(id));
  return (
    <span className={styles.key}>
      <span
        className={styles.swatch}
        data-pattern={pattern}
        style={{ backgroundColor: colour }}
        aria-hidden="true"
      />
      <Name>{id}</Name>
    </span>
  );
}
